import type { Kysely } from 'kysely';
import type { OpenDatabase } from '#server/db/connect';
import { lockAccounts } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { AccountRemovalPart } from '#server/features/feature';
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
};

export type Removal = {
  by: 'self' | 'administrator' | 'operator';
  /** Checks the requesting session again before anything is deleted. */
  stillMay: Actor['stillMay'];
  visitor?: Visitor;
  /** For the record. */
  detail?: string;
  /** Runs first, once it is known that the account may be deleted. */
  beforehand?: () => Promise<void>;
};

/** Thrown to roll back the transaction. */
class ActiveWorkError extends Error {}

const attempts = 5;

export const accountRemoval = (dependencies: Dependencies) => (userId: number, removal: Removal) =>
  removeAccount(dependencies, userId, removal);

export type RemoveAccount = ReturnType<typeof accountRemoval>;

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
    await signOut(dependencies, userId, attempt === 1 ? removal.stillMay : undefined);
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
async function signOut({ database, onSessionsEnded }: Dependencies, userId: number, stillMay?: Actor['stillMay']) {
  const ended = await database.db.transaction().execute(async (trx) => {
    await stillMay?.(trx);
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
  { by, visitor, detail, stillMay }: Removal,
): Promise<boolean> {
  const sessionIds = await database.db.transaction().execute(async (trx) => {
    const accounts = removalRepository(trx);
    await lockAccounts(trx);
    // The owner's own session has ended by now.
    if (by === 'administrator') await stillMay(trx);
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
