import { Link } from '@tanstack/react-router';
import { buttonClass } from '#web/ui/button.tsx';
import type { MailedLink } from './mailed-link.ts';
import { NarrowPage } from './narrow-page.tsx';
import { ResetPasswordForm } from './reset-password-form.tsx';

type ResetPasswordPageProps = {
  /** null if the address is not that of a mailed link. */
  link: MailedLink | null;
  /** Opens the login page. */
  onDone: () => void;
};

export function ResetPasswordPage({ link, onDone }: ResetPasswordPageProps) {
  if (!link) return <InvalidResetLink />;
  return (
    <NarrowPage
      title="Set a new password"
      heading="Set a new password"
      lead="This signs out all your devices and revokes your access tokens."
    >
      <ResetPasswordForm link={link} onDone={onDone} />
    </NarrowPage>
  );
}

function InvalidResetLink() {
  return (
    <NarrowPage
      title="Invalid reset link"
      heading="Invalid Reset Link"
      lead="Part of the link is missing, or the page was reloaded. Open the link from the email once more, or request a new one."
    >
      <div className="mt-6 flex flex-wrap gap-2">
        <Link to="/request-reset-password" className={buttonClass({ variant: 'primary' })}>
          Request a new link
        </Link>
        <Link to="/auth" className={buttonClass()}>
          Back to login
        </Link>
      </div>
    </NarrowPage>
  );
}
