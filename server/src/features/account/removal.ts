import type { AccountDeletion } from '@roster/contracts/account';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { OpenDatabase } from '#server/db/connect';
import { lockAccounts } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { ConfirmPassword } from '#server/features/auth/shared/confirm-password';
import type { AccountRemovalPart, ProviderLeftovers, RemoveAtProvider } from '#server/features/feature';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import { mailJob } from '#server/mail/job';
import type { Actor } from '#server/security/actor';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import { removalRepository } from './removal-repository.ts';

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  parts: readonly AccountRemovalPart[];
  /** Closes open streams of sessions in this process. Other processes notice within seconds. */
  onSessionsEnded: (sessionIds: string[]) => void;
  /** Clears what this process has cached for a user. */
  forget: (userId: number) => void;
  confirmPassword: ConfirmPassword;
  /** Removes each feature’s objects at the provider, in this order. */
  removeAtProvider: readonly RemoveAtProvider[];
};

type Removal = {
  by: 'self' | 'administrator' | 'operator';
  /** Checks the requesting session again before anything is deleted. */
  recheckAccess: Actor['recheckAccess'];
  visitor?: Visitor;
  /** For the record. */
  detail?: string;
  /** Runs first, once it is known that the account may be deleted. */
  beforehand?: () => Promise<void>;
};

/** Thrown to roll back the transaction. */
class ActiveWorkError extends Error {}

const attempts = 5;

export const accountRemoval = (dependencies: Dependencies) => ({
  remove: (userId: number, removal: Removal) => removeAccount(dependencies, userId, removal),
  /** For its owner. */
  close: (actor: Actor, closing: Closing, visitor: Visitor) => closeAccount(dependencies, actor, closing, visitor),
});

export type AccountRemoval = ReturnType<typeof accountRemoval>;

type Closing = z.output<typeof AccountDeletion>;

const refused = (message: string) => new AppError('invalid_input', message, { fields: { password: message } });

async function closeAccount(dependencies: Dependencies, actor: Actor, closing: Closing, visitor: Visitor) {
  const { confirmPassword, removeAtProvider } = dependencies;
  const { userId, recheckAccess } = actor;
  const confirmation = await confirmPassword(actor, closing.password, visitor);
  if (confirmation === 'missing') throw refused('Enter your password to close the account.');
  if (confirmation === 'wrong') throw refused('The password is incorrect.');
  await removeAccount(dependencies, userId, {
    by: 'self',
    recheckAccess,
    visitor,
    ...(closing.removeAtProvider && { beforehand: () => emptyProvider(removeAtProvider, userId) }),
  });
}

async function emptyProvider(removeAtProvider: readonly RemoveAtProvider[], userId: number) {
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

/**
 * When it resolves, no data of the user is left. false: there was no such account, or a concurrent call deleted it
 * first.
 */
async function removeAccount(dependencies: Dependencies, userId: number, removal: Removal): Promise<boolean> {
  const { database, parts } = dependencies;
  // Checked before work is stopped for nothing, and again in the transaction.
  await rejectLastAdministrator(database.db, userId, removal.by);
  await removal.beforehand?.();
  for (let attempt = 1; attempt <= attempts; attempt++) {
    await signOut(dependencies, userId, attempt === 1 ? removal.recheckAccess : undefined);
    try {
      return await withWorkPaused(parts, userId, () => removeOnce(dependencies, userId, removal));
    } catch (error) {
      if (!(error instanceof ActiveWorkError)) throw error;
    }
  }
  throw new AppError(
    'unavailable',
    'Messages are still being sent for this account. Wait a minute, sign in again and retry.',
    {
      retryAfterSeconds: 60,
    },
  );
}

/**
 * Keeps every process from accepting more work for the user. If the account remains after all, the user has to sign in
 * again.
 */
async function signOut(
  { database, onSessionsEnded }: Dependencies,
  userId: number,
  recheckAccess?: Actor['recheckAccess'],
) {
  const ended = await database.db.transaction().execute(async (trx) => {
    await recheckAccess?.(trx);
    return removalRepository(trx).endSessions(userId);
  });
  onSessionsEnded(ended);
}

const withWorkPaused = (
  parts: readonly AccountRemovalPart[],
  userId: number,
  work: () => Promise<boolean>,
): Promise<boolean> =>
  parts.reduceRight<() => Promise<boolean>>((next, part) => () => part.atRest(userId, next), work)();

async function removeOnce(
  { database, parts, onSessionsEnded, forget }: Dependencies,
  userId: number,
  { by, visitor, detail, recheckAccess }: Removal,
): Promise<boolean> {
  const sessionIds = await database.db.transaction().execute(async (trx) => {
    const accounts = removalRepository(trx);
    await lockAccounts(trx);
    // The owner's own session has ended by now.
    if (by === 'administrator') await recheckAccess(trx);
    const account = await accounts.lock(userId);
    if (!account) return undefined;
    await rejectLastAdministrator(trx, userId, by);
    for (const part of parts) if (!(await part.remove(trx, userId))) throw new ActiveWorkError();
    const ended = await accounts.endSessions(userId);
    const events = securityEventRepository(trx);
    await events.forget(userId);
    // Keeps on record that an account was closed, but not whose it was or from where.
    await events.record({ userId: null, event: 'account_closed', by, detail, ...(by !== 'self' && { visitor }) });
    await enqueue(trx, mailJob, { template: 'account_closed', email: account.email });
    await accounts.delete(userId);
    return ended;
  });
  if (!sessionIds) return false;
  onSessionsEnded(sessionIds);
  forget(userId);
  return true;
}

/** The only account may be closed by its owner, but not by a directory. */
async function rejectLastAdministrator(within: Kysely<Database>, userId: number, by: Removal['by']) {
  const left = await removalRepository(within).withoutAccount(userId);
  const isOthersMatter = left.accounts > 0 || by === 'operator';
  if (isOthersMatter && left.wasActiveAdministrator && left.activeAdministrators === 0)
    throw new AppError(
      'last_administrator',
      'This is the last active administrator. Make someone else an administrator first.',
    );
}
