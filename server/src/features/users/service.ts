import { Id } from '@roster/contracts/endpoint';
import { type ManagedUser, type NewUser, type PasswordLink, type UserChanges, UserSort } from '@roster/contracts/users';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Config } from '#server/config';
import type { OpenDatabase } from '#server/db/connect';
import { holdAccounts } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { isTaken } from '#server/db/taken-address';
import { AppError } from '#server/errors';
import type { Actor } from '#server/http/actor';
import { cursorsOf, notOurCursor, pageOf } from '#server/http/paging';
import { enqueue } from '#server/jobs/queue';
import { mailJob } from '#server/mail/job';
import { revokeAccessTokens } from '#server/security/access-token-repository';
import { securityEventRepository } from '#server/security/events-repository';
import { userListRepository } from './list-repository.ts';
import { managedUserRepository, notConfirmed } from './repository.ts';

type Dependencies = {
  database: OpenDatabase;
  config: Pick<Config, 'mail'>;
  /** @throws invalid_input where the password is easy to guess */
  refuseGuessable: (password: string, email: string) => Promise<void>;
  hashPassword: (password: string) => Promise<string>;
  /** Makes a link that sets the password, once, and puts that on record. */
  passwordLink: (userId: number, by: 'administrator', about: { shownTo: string; isNew: boolean }) => Promise<string>;
  /** Removes an account and everything of its owner; never the last active administrator. false: there was none. */
  removeAccount: (userId: number, options: { by: 'administrator'; stillMay: Actor['stillMay'] }) => Promise<boolean>;
  /** Ends the open streams of these sessions. */
  onSessionsEnded: (sessionIds: string[]) => void;
};

type ListQuery = {
  q?: string | undefined;
  sort: UserSort;
  order: 'asc' | 'desc';
  limit: number;
  cursor?: string | undefined;
};

const recentMs = 7 * 24 * 60 * 60 * 1000;

const cursors = cursorsOf(z.tuple([UserSort, z.enum(['asc', 'desc']), z.string().regex(/^[^\0]*$/), Id]));

function readCursor({ cursor, sort, order }: ListQuery) {
  if (cursor === undefined) return undefined;
  const [ofSort, ofOrder, value, id] = cursors.decode(cursor);
  if (ofSort !== sort || ofOrder !== order) throw notOurCursor();
  return { value, id };
}

const noUser = () => new AppError('not_found', 'This account does not exist.');
const taken = () => {
  const message = 'There is an account with this email address already.';
  return new AppError('email_taken', message, { fields: { email: message } });
};
const changedFrom = (before: string, after: string) => `${before} to ${after}`;

/** What administrators do with accounts. What is in them stays their owners'. */
export function userService(dependencies: Dependencies) {
  const { database, config, refuseGuessable, hashPassword } = dependencies;
  const mailsLinks = config.mail.smtpUrl !== undefined;
  const { db, reader } = database;

  async function find(trx: Kysely<Database>, userId: number): Promise<ManagedUser> {
    const user = await managedUserRepository(trx).byId(userId);
    if (!user) throw noUser();
    return user;
  }

  /** Stores the mail that brings the owner a link; the link itself is made when it is sent. */
  async function mailLink(trx: Kysely<Database>, userId: number, invitedBy?: string) {
    const detail = 'Mailed to the owner';
    await securityEventRepository(trx).record({ userId, event: 'reset_link_made', by: 'administrator', detail });
    await enqueue(trx, mailJob, { template: 'set_password', userId, ...(invitedBy !== undefined && { invitedBy }) });
  }

  /** Where mail goes out, an administrator's address must be confirmed: it could be another person's. */
  function requireConfirmed({ email, emailVerified }: ManagedUser) {
    if (emailVerified || !mailsLinks) return;
    const fields = { role: 'The address of this account is not confirmed' };
    throw new AppError('conflict', notConfirmed(email), { fields });
  }

  /** After what stored it is committed. Without a mail server the link is shown to the administrator, once. */
  async function linkGiven(actor: Actor, userId: number, isNew: boolean): Promise<PasswordLink> {
    if (!mailsLinks) {
      const { name, email } = await find(db, actor.userId);
      const about = { shownTo: name ? `${name} (${email})` : email, isNew };
      return { mailed: false, link: await dependencies.passwordLink(userId, 'administrator', about) };
    }
    return { mailed: true, link: null };
  }

  return {
    async list(query: ListQuery): Promise<{ items: ManagedUser[]; nextCursor: string | null }> {
      const after = readCursor(query);
      const words = (query.q ?? '').trim().normalize('NFC');
      // A search may look at every account, which is for the thread beside this one.
      const found = await userListRepository(words === '' ? db : reader).page({ ...query, words, after });
      const { items, nextCursor } = pageOf(found, query.limit, ({ position: { value, id } }) =>
        cursors.encode([query.sort, query.order, value, id]),
      );
      return { items: items.map(({ user }) => user), nextCursor };
    },

    summary: () => userListRepository(db).count(new Date(Date.now() - recentMs).toISOString()),

    async add(
      actor: Actor,
      { password, ...input }: z.output<typeof NewUser>,
    ): Promise<{ user: ManagedUser; passwordLink: PasswordLink | null }> {
      // Setting the password with a mailed link also proves the address.
      if (password !== undefined && input.role === 'Admin' && mailsLinks)
        throw new AppError(
          'conflict',
          'Whoever becomes an administrator has to show that the address is theirs. Leave the password out: the person gets a link to set one.',
          { fields: { password: 'Leave the password out: an administrator gets a link by mail to set one' } },
        );
      if (password !== undefined) await refuseGuessable(password, input.email);
      const passwordHash = password === undefined ? null : await hashPassword(password);
      // An account that cannot sign in yet gets its link when it can.
      const wantsLink = password === undefined && input.status === 'Active';
      const user = await db.transaction().execute(async (trx) => {
        await actor.stillMay(trx);
        const added = await managedUserRepository(trx).insert({ ...input, passwordHash });
        if (!added) throw taken();
        const { id: userId, role: detail } = added;
        await securityEventRepository(trx).record({ userId, event: 'account_created', by: 'administrator', detail });
        if (wantsLink && mailsLinks) {
          const administrator = await find(trx, actor.userId);
          await mailLink(trx, userId, administrator.name ?? administrator.email);
        }
        return added;
      });
      return { user, passwordLink: wantsLink ? await linkGiven(actor, user.id, true) : null };
    },

    async change(userId: number, changes: z.output<typeof UserChanges>): Promise<ManagedUser> {
      const outcome = await db
        .transaction()
        .execute((trx) => changeIn(trx, userId, changes))
        .catch((error: unknown) => {
          // The address was registered in the same moment.
          throw isTaken(error) ? taken() : error;
        });
      dependencies.onSessionsEnded(outcome.sessions);
      return outcome.user;
    },

    async remove(actor: Actor, userId: number) {
      if (userId === actor.userId)
        throw new AppError('conflict', 'This is your own account. Close it under Settings > Account.');
      if (!(await dependencies.removeAccount(userId, { by: 'administrator', stillMay: actor.stillMay })))
        throw noUser();
    },

    async signOut(actor: Actor, userId: number) {
      if (userId === actor.userId)
        throw new AppError('conflict', 'This is your own account. Sign other devices out under Settings > Sessions.');
      const ended = await db.transaction().execute(async (trx) => {
        await find(trx, userId);
        const sessions = await managedUserRepository(trx).endSessions(userId);
        await securityEventRepository(trx).record({ userId, event: 'signed_out_everywhere', by: 'administrator' });
        return sessions;
      });
      dependencies.onSessionsEnded(ended);
    },

    async resetPassword(actor: Actor, userId: number): Promise<PasswordLink> {
      // A link that is shown would set the own password without the current one.
      if (userId === actor.userId && !mailsLinks)
        throw new AppError('conflict', 'This is your own account. Change your password under Settings > Account.');
      await db.transaction().execute(async (trx) => {
        const { status } = await find(trx, userId);
        if (status !== 'Active')
          throw new AppError('conflict', 'This account is inactive and cannot sign in. Make it active first.');
        if (mailsLinks) await mailLink(trx, userId);
      });
      return linkGiven(actor, userId, false);
    },
  };

  async function changeIn(trx: Kysely<Database>, userId: number, changes: z.output<typeof UserChanges>) {
    const users = managedUserRepository(trx);
    await holdAccounts(trx);
    const before = await find(trx, userId);
    const { name = before.name, email = before.email, role = before.role, status = before.status } = changes;
    const record = (event: 'details_changed' | 'role_changed' | 'status_changed', detail: string) =>
      securityEventRepository(trx).record({ userId, event, by: 'administrator', detail });

    const sessions: string[] = [];
    if (email !== before.email) {
      if (await users.byEmail(email)) throw taken();
      if (!(await users.correctEmail(userId, email)))
        throw new AppError(
          'conflict',
          'Somebody has signed in with this address already, so it cannot be changed. Add an account with the right one.',
        );
      await record('details_changed', 'Email address');
    }
    if (name !== null && name !== before.name) {
      await users.setName(userId, name);
      await record('details_changed', 'Name');
    }
    if (role !== before.role) {
      if (role === 'Admin') requireConfirmed(await find(trx, userId));
      await users.setRole(userId, role);
      await record('role_changed', changedFrom(before.role, role));
      sessions.push(...(await users.sessionIds(userId)));
    }
    if (status !== before.status) {
      await users.setStatus(userId, status);
      await record('status_changed', changedFrom(before.status, status));
      // On the way back too: a sign-in that overlapped with the way out may have left a session.
      sessions.push(...(await users.endSessions(userId)));
      await revokeAccessTokens(trx, { userId, by: 'administrator' });
    }
    if (!(await users.hasActiveAdministrator()))
      throw new AppError(
        'last_administrator',
        'This is the last active administrator. Make somebody else an administrator first.',
      );
    return { user: await find(trx, userId), sessions };
  }
}

export type UserService = ReturnType<typeof userService>;
