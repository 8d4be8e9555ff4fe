import { AppError } from '../../errors.ts';
import type { Actor } from '../../http/actor.ts';
import type { Visitor } from '../../security/events-repository.ts';
import type { ConfirmPassword } from '../auth/confirm-password.ts';
import type { RemoveAccount } from './removal.ts';

/** Without a password to ask for, only a fresh sign-in shows that it is the person. */
const freshForMs = 10 * 60_000;

type Dependencies = {
  confirmPassword: ConfirmPassword;
  /** When the session began; undefined: it has ended. */
  sessionBegan: (userId: number, sessionId: string) => Promise<string | undefined>;
  removeAccount: RemoveAccount;
};

/** A person closes the own account. */
export function accountClosing({ confirmPassword, sessionBegan, removeAccount }: Dependencies) {
  const refuse = (message: string) => new AppError('invalid_input', message, { fields: { password: message } });

  return async function close({ userId, sessionId }: Actor, password: string | undefined, visitor: Visitor) {
    const confirmation = await confirmPassword(userId, password, visitor);
    if (confirmation === 'missing') throw refuse('Enter your password to close the account.');
    if (confirmation === 'wrong') throw refuse('The password is not right.');
    if (confirmation === 'none') {
      const began = await sessionBegan(userId, sessionId);
      if (began === undefined || Date.now() - Date.parse(began) >= freshForMs)
        throw new AppError(
          'sign_in_again',
          'To close the account, sign out, sign in again, and close it within ten minutes.',
        );
    }
    await removeAccount(userId, { by: 'self', visitor });
  };
}

export type CloseAccount = ReturnType<typeof accountClosing>;
