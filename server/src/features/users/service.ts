import { Id } from '@roster/contracts/endpoint';
import { type users as api, type ManagedUser, type PasswordLink, UserSort } from '@roster/contracts/users';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Config } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import { isUniqueViolation } from '#server/db/unique-violation';
import { createCursors, invalidCursor, toPage } from '#server/http/paging';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import { mailJob } from '#server/mail/job';
import type { Actor } from '#server/security/actor';
import { securityEventRepository } from '#server/security/events-repository';
import { userListRepository } from './list-repository.ts';
import { managedUserRepository } from './repository.ts';
import { emailTaken, findUser, updateUser, userNotFound } from './update-user.ts';

type Dependencies = {
  database: OpenDatabase;
  config: Pick<Config, 'mail' | 'passwordLogin'>;
  /** @throws invalid_input if the password is easy to guess */
  refuseGuessable: (password: string, email: string) => Promise<void>;
  hashPassword: (password: string) => Promise<string>;
  /** Creates a one-time link that sets the password, and records it. */
  passwordLink: (userId: number, by: 'administrator', about: { shownTo: string; isNew: boolean }) => Promise<string>;
  /**
   * Deletes an account with all its data, but never the last active administrator. false: there was no such account.
   */
  removeAccount: (
    userId: number,
    options: { by: 'administrator'; recheckAccess: Actor['recheckAccess'] },
  ) => Promise<boolean>;
  /** Closes the open streams of these sessions. */
  onSessionsEnded: (sessionIds: string[]) => void;
};

type ListQuery = z.output<typeof api.list.query>;

const recentMs = 7 * 24 * 60 * 60 * 1000;

const cursors = createCursors(z.tuple([UserSort, z.enum(['asc', 'desc']), z.string().regex(/^[^\0]*$/), Id]));

function readCursor({ cursor, sort, order }: ListQuery) {
  if (cursor === undefined) return undefined;
  const [ofSort, ofOrder, value, id] = cursors.decode(cursor);
  if (ofSort !== sort || ofOrder !== order) throw invalidCursor();
  return { value, id };
}

/** @throws login_provider_required if no password opens an account */
function requirePasswords({ config }: Dependencies) {
  if (!config.passwordLogin)
    throw new AppError(
      'login_provider_required',
      'Passwords are turned off here: people log in with a login provider. Invite them instead.',
    );
}

const mailsLinks = ({ config }: Dependencies) => config.mail.smtpUrl !== undefined;

async function list({ database: { db, reader } }: Dependencies, query: ListQuery) {
  const after = readCursor(query);
  const words = (query.q ?? '').trim().normalize('NFC');
  // A search may scan all accounts, so it uses the read connection.
  const found = await userListRepository(words === '' ? db : reader).page({ ...query, words, after });
  const { items, nextCursor } = toPage(found, query.limit, ({ position: { value, id } }) =>
    cursors.encode([query.sort, query.order, value, id]),
  );
  return { items: items.map(({ user }) => user), nextCursor };
}

/** Queues the mail with a link for the owner; the link is created when the mail is sent. */
async function mailLink(trx: Kysely<Database>, userId: number, invitedBy?: string) {
  const detail = 'Emailed to the owner';
  await securityEventRepository(trx).record({ userId, event: 'reset_link_made', by: 'administrator', detail });
  await enqueue(trx, mailJob, { template: 'set_password', userId, ...(invitedBy !== undefined && { invitedBy }) });
}

/** Call it after the commit. Without a mail server, returns the link, which the administrator sees once. */
async function linkGiven(
  dependencies: Dependencies,
  actor: Actor,
  userId: number,
  isNew: boolean,
): Promise<PasswordLink> {
  if (mailsLinks(dependencies)) return { mailed: true, link: null };
  const { name, email } = await findUser(dependencies.database.db, actor.userId);
  const about = { shownTo: name ? `${name} (${email})` : email, isNew };
  return { mailed: false, link: await dependencies.passwordLink(userId, 'administrator', about) };
}

async function add(
  dependencies: Dependencies,
  actor: Actor,
  { password, ...input }: z.output<typeof api.add.body>,
): Promise<z.output<typeof api.add.output>> {
  requirePasswords(dependencies);
  const { database, refuseGuessable, hashPassword } = dependencies;
  // Setting the password with a mailed link also proves the address.
  if (password !== undefined && input.role === 'Admin' && mailsLinks(dependencies))
    throw new AppError(
      'conflict',
      'An administrator must prove that the address is theirs. Leave out the password: the user will get a link to set one.',
      { fields: { password: 'Leave out the password: an administrator gets a link by email to set one' } },
    );
  if (password !== undefined) await refuseGuessable(password, input.email);
  const passwordHash = password === undefined ? null : await hashPassword(password);
  // An account that cannot sign in yet gets no link now.
  const wantsLink = password === undefined && input.status === 'Active';
  const user = await database.db.transaction().execute(async (trx) => {
    await actor.recheckAccess(trx);
    const added = await managedUserRepository(trx).insert({ ...input, passwordHash });
    if (!added) throw emailTaken();
    const { id: userId, role: detail } = added;
    await securityEventRepository(trx).record({ userId, event: 'account_created', by: 'administrator', detail });
    if (wantsLink && mailsLinks(dependencies)) {
      const administrator = await findUser(trx, actor.userId);
      await mailLink(trx, userId, administrator.name ?? administrator.email);
    }
    return added;
  });
  return { user, passwordLink: wantsLink ? await linkGiven(dependencies, actor, user.id, true) : null };
}

async function change(
  dependencies: Dependencies,
  userId: number,
  changes: z.output<typeof api.change.body>,
): Promise<ManagedUser> {
  const { user, sessions } = await dependencies.database.db
    .transaction()
    .execute((trx) => updateUser(trx, userId, changes, mailsLinks(dependencies)))
    .catch((error: unknown) => {
      // The address was registered at the same moment.
      throw isUniqueViolation(error) ? emailTaken() : error;
    });
  dependencies.onSessionsEnded(sessions);
  return user;
}

async function remove(dependencies: Dependencies, { userId: own, recheckAccess }: Actor, userId: number) {
  if (userId === own) throw new AppError('conflict', 'This is your own account. Close it under Settings > Account.');
  if (!(await dependencies.removeAccount(userId, { by: 'administrator', recheckAccess }))) throw userNotFound();
}

async function signOut({ database, onSessionsEnded }: Dependencies, actor: Actor, userId: number) {
  if (userId === actor.userId)
    throw new AppError('conflict', 'This is your own account. Sign other devices out under Settings > Sessions.');
  const ended = await database.db.transaction().execute(async (trx) => {
    await findUser(trx, userId);
    const sessions = await managedUserRepository(trx).endSessions(userId);
    await securityEventRepository(trx).record({ userId, event: 'signed_out_everywhere', by: 'administrator' });
    return sessions;
  });
  onSessionsEnded(ended);
}

async function resetPassword(dependencies: Dependencies, actor: Actor, userId: number): Promise<PasswordLink> {
  requirePasswords(dependencies);
  // A link that is shown would set the administrator’s own password without the current one.
  if (userId === actor.userId && !mailsLinks(dependencies))
    throw new AppError('conflict', 'This is your own account. Change your password under Settings > Account.');
  await dependencies.database.db.transaction().execute(async (trx) => {
    const { status } = await findUser(trx, userId);
    if (status !== 'Active')
      throw new AppError('conflict', 'This account is inactive and cannot sign in. Activate it first.');
    if (mailsLinks(dependencies)) await mailLink(trx, userId);
  });
  return linkGiven(dependencies, actor, userId, false);
}

/** Account management for administrators. The data in accounts stays private. */
export function userService(dependencies: Dependencies) {
  const { db } = dependencies.database;
  return {
    list: (query: ListQuery) => list(dependencies, query),
    summary: () => userListRepository(db).count(new Date(Date.now() - recentMs).toISOString()),
    add: (actor: Actor, input: z.output<typeof api.add.body>) => add(dependencies, actor, input),
    change: (userId: number, changes: z.output<typeof api.change.body>) => change(dependencies, userId, changes),
    remove: (actor: Actor, userId: number) => remove(dependencies, actor, userId),
    signOut: (actor: Actor, userId: number) => signOut(dependencies, actor, userId),
    resetPassword: (actor: Actor, userId: number) => resetPassword(dependencies, actor, userId),
  };
}

export type UserService = ReturnType<typeof userService>;
