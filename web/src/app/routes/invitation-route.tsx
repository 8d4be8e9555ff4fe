import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { InvitationPage } from '#web/features/auth/invitation-page.tsx';
import { readInvitationToken } from '#web/features/auth/invitation-token.ts';

/** Keeps the token in memory only: the next user of this browser must not find it in the address or the history. */
export function InvitationRoute() {
  const router = useRouter();
  const [token] = useState(() => readInvitationToken(router.history.location.hash));
  useEffect(() => {
    const { pathname, hash } = router.history.location;
    if (hash !== '') router.history.replace(pathname);
  }, [router]);
  return <InvitationPage token={token} />;
}
