import { WithCurrentUser } from '#web/app/guards.tsx';
import { useMailedLink } from '#web/app/use-mailed-link.ts';
import { ConfirmEmail } from '#web/features/auth/confirm-email.tsx';
import { ConfirmLogin } from '#web/features/auth/confirm-login.tsx';

/** Visitors log in on this page itself, so the mailed token never passes through a return address. */
export function ConfirmEmailRoute() {
  const link = useMailedLink();
  return <WithCurrentUser visitor={<ConfirmLogin link={link} />} user={<ConfirmEmail link={link} />} />;
}
