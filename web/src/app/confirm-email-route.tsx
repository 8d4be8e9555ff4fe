import { ConfirmEmail } from '#web/features/auth/confirm-email.tsx';
import { ConfirmLogin } from '#web/features/auth/confirm-login.tsx';
import { WithCurrentUser } from './guards.tsx';
import { useMailedLink } from './use-mailed-link.ts';

/** A visitor logs in on this very page, so that the link need not travel through an address to come back to it. */
export function ConfirmEmailRoute() {
  const link = useMailedLink();
  return <WithCurrentUser visitor={<ConfirmLogin link={link} />} user={<ConfirmEmail link={link} />} />;
}
