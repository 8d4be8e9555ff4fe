import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type MailedLink, readMailedLink } from '#web/features/auth/mailed-link.ts';

/**
 * The mailed link that led to this page; null where it is not whole. From here on it is kept in memory only: the token
 * leaves the address bar and the history, where the next person at this browser would find it.
 */
export function useMailedLink(): MailedLink | null {
  const router = useRouter();
  const [link] = useState(() => readMailedLink(router.history.location.search));
  useEffect(() => {
    const { pathname, search } = router.history.location;
    if (search !== '') router.history.replace(pathname);
  }, [router]);
  return link;
}
