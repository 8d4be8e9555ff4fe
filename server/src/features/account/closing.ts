import type { AccountClosing } from '@roster/contracts/account';
import type { z } from 'zod';
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
  /** Removes the files' copies at the provider; how many could not be removed. */
  removeFilesAtProvider: (userId: number) => Promise<number>;
};

type Closing = z.output<typeof AccountClosing>;

/** A person closes the own account. */
export function accountClosing(dependencies: Dependencies) {
  const { confirmPassword, sessionBegan, removeAccount, removeFilesAtProvider } = dependencies;
  const refuse = (message: string) => new AppError('invalid_input', message, { fields: { password: message } });

  async function emptyProvider(userId: number) {
    const left = await removeFilesAtProvider(userId);
    if (left > 0)
      throw new AppError(
        'provider_failed',
        `${left === 1 ? 'One file is' : `${left} files are`} still at the provider and could not be removed. Nothing else was closed: try again, or close the account without removing them there.`,
      );
  }

  return async function close({ userId, sessionId }: Actor, closing: Closing, visitor: Visitor) {
    const confirmation = await confirmPassword(userId, closing.password, visitor);
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
    await removeAccount(userId, {
      by: 'self',
      visitor,
      ...(closing.removeAtProvider && { beforehand: () => emptyProvider(userId) }),
    });
  };
}

export type CloseAccount = ReturnType<typeof accountClosing>;
