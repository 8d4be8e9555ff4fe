import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type MailedLink, readMailedLink } from '#web/features/auth/mailed-link.ts';

/**
 * The mailed link that led to this page; null if it is incomplete. The token is kept in memory only: it is removed from
 * the address bar and history, where the next user of this browser could find it.
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
