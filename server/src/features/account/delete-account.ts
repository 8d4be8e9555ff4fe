import type { AccountDeletion } from '@roster/contracts/account';
import type { z } from 'zod';
import type { ConfirmPassword } from '#server/features/auth/shared/confirm-password';
import type { ProviderLeftovers, RemoveAtProvider } from '#server/features/feature';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import type { Visitor } from '#server/security/events-repository';
import type { RemoveAccount } from './removal.ts';

type Dependencies = {
  confirmPassword: ConfirmPassword;
  removeAccount: RemoveAccount;
  /** Removes each feature’s objects at the provider, in this order. */
  removeAtProvider: readonly RemoveAtProvider[];
};

type Closing = z.output<typeof AccountDeletion>;

export function accountDeletion(dependencies: Dependencies) {
  const { confirmPassword, removeAccount, removeAtProvider } = dependencies;
  const refuse = (message: string) => new AppError('invalid_input', message, { fields: { password: message } });

  async function emptyProvider(userId: number) {
    const left: ProviderLeftovers[] = [];
    for (const remove of removeAtProvider) left.push(...(await remove(userId)));
    const total = left.reduce((sum, part) => sum + part.left, 0);
    if (total === 0) return;
    const parts = left.filter((part) => part.left > 0);
    const named = parts.map((part) => (part.left === 1 ? `one ${part.one}` : `${part.left} ${part.many}`));
    const words = named.join(', ').replace(/, ([^,]*)$/, ' and $1');
    throw new AppError(
      'provider_failed',
      `${words.charAt(0).toUpperCase()}${words.slice(1)} ${total === 1 ? 'is' : 'are'} still at the provider and could not be removed. Nothing else was closed: try again, or close the account without removing them there.`,
    );
  }

  return async function close(actor: Actor, closing: Closing, visitor: Visitor) {
    const { userId, stillMay } = actor;
    const confirmation = await confirmPassword(actor, closing.password, visitor);
    if (confirmation === 'missing') throw refuse('Enter your password to close the account.');
    if (confirmation === 'wrong') throw refuse('The password is incorrect.');
    await removeAccount(userId, {
      by: 'self',
      stillMay,
      visitor,
      ...(closing.removeAtProvider && { beforehand: () => emptyProvider(userId) }),
    });
  };
}

export type DeleteAccount = ReturnType<typeof accountDeletion>;
