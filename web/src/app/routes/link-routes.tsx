import { useNavigate, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { WithCurrentUser } from '#web/app/guards.tsx';
import { useMailedLink } from '#web/app/use-mailed-link.ts';
import { ConfirmEmail } from '#web/features/auth/confirm-email.tsx';
import { ConfirmLogin } from '#web/features/auth/confirm-login.tsx';
import { InvitationPage } from '#web/features/auth/invitation-page.tsx';
import { readInvitationToken } from '#web/features/auth/invitation-token.ts';
import { LoginLinkPage } from '#web/features/auth/login-link-page.tsx';
import { ResetPasswordPage } from '#web/features/auth/reset-password-page.tsx';

// The pages that links with a token open. In one file, because every page loads the name of each.

export function ResetPasswordRoute() {
  const link = useMailedLink();
  const navigate = useNavigate();
  const toLogin = useCallback(() => void navigate({ to: '/auth' }), [navigate]);
  return <ResetPasswordPage link={link} onDone={toLogin} />;
}

export function LoginLinkRoute() {
  const link = useMailedLink();
  const navigate = useNavigate();
  return (
    <LoginLinkPage
      link={link}
      onDone={() => void navigate({ to: '/' })}
      onSecondStep={() => void navigate({ to: '/auth', search: { step: 'second-factor' } })}
    />
  );
}

/** Visitors log in on this page itself, so the mailed token never passes through a return address. */
export function ConfirmEmailRoute() {
  const link = useMailedLink();
  return <WithCurrentUser visitor={<ConfirmLogin link={link} />} user={<ConfirmEmail link={link} />} />;
}

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
