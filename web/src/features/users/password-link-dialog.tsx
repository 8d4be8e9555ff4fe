import type { ManagedUser } from '@roster/contracts/users';
import { ShownLinkDialog } from './shown-link-dialog.tsx';

/** A link that could not be mailed; it is shown once. */
export type NewLink = { email: string; link: string; why: 'new' | 'reset' };

export const newLink = ({ email }: ManagedUser, link: string, why: NewLink['why']): NewLink => ({ email, link, why });

export function PasswordLinkDialog({ link: { email, link, why }, onClose }: { link: NewLink; onClose: () => void }) {
  return (
    <ShownLinkDialog
      title={why === 'new' ? 'Link to Set a Password' : 'Link to Set a New Password'}
      email={email}
      link={link}
      hint="Works once, for 30 minutes."
      warning={
        <>
          Anyone who opens the link can set the password of this account, sign in and read everything in it. Send it
          only where nobody but its owner reads it.
          {why === 'reset' && ' The owner is notified at the next sign-in that you have seen the link.'}
        </>
      }
      onClose={onClose}
    />
  );
}
