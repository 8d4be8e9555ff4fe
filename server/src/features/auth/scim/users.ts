import type { Kysely } from 'kysely';
import { lockAccounts } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { isUniqueViolation } from '#server/db/unique-violation';
import { parseEmail, parseName } from '#server/features/auth/login-providers/login-provider';
import { groupRepository } from '#server/features/auth/shared/group-repository';
import { type UserRecord, userRepository } from '#server/features/auth/shared/repository';
import { ScimError } from '#server/http/scim/errors';
import { sessionRepository } from '#server/http/sessions/session-repository';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import type { JsonObject } from '#server/lib/is-object';
import { mailJob } from '#server/mail/job';
import { revokeAccessTokens } from '#server/security/access-token-repository';
import { securityEventRepository } from '#server/security/events-repository';
import { readPatch, readResource } from './changes.ts';
import { isWanted, type ListQuery, listResponse, project, readListQuery, readProjection } from './list-query.ts';
import type { ResourceWriter } from './resources.ts';
import { firstRole, lastAdministrator, type Provider } from './roles.ts';
import { readUserChanges, type UserChanges } from './user-attributes.ts';
import { readId, readUserCriteria } from './user-criteria.ts';
import { type ScimUser, type StoredAttributes, scimUserRepository, userNameKey } from './user-repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  provider: Provider;
  write: ResourceWriter;
  /** @throws last_administrator. false: there was no such account */
  removeAccount: (
    userId: number,
    options: { by: 'operator'; detail: string; recheckAccess: (trx: Kysely<Database>) => Promise<void> },
  ) => Promise<boolean>;
  /** Closes the open streams of these sessions. */
  onSessionsEnded: (sessionIds: string[]) => void;
};

const userNotFound = () => new AppError('not_found', 'There is no such user.');
const taken = (detail: string) => new ScimError('uniqueness', detail);

const record = (
  trx: Kysely<Database>,
  userId: number,
  event: 'account_created' | 'details_changed' | 'status_changed',
  detail: string,
) => securityEventRepository(trx).record({ userId, event, by: 'operator', detail });

/** Somebody registered or confirmed the address at the same moment. */
function asTaken(error: unknown): never {
  throw isUniqueViolation(error) ? taken('An account with this address or name was stored at the same moment.') : error;
}

/** The address of an account, from the address for work or else from the user name. */
function addressOf({ email, userName }: UserChanges): string {
  const address = parseEmail(email ?? userName ?? '');
  if (typeof address === 'string') return address;
  throw new ScimError('invalidValue', 'A user needs an email address, in emails or as the userName.');
}

/** The name of an account: the display name, or its parts, or the user name. */
const nameOf = ({ displayName, givenName, familyName, userName }: StoredAttributes): string | null =>
  parseName(displayName) ??
  parseName([givenName, familyName].filter((part) => part !== null).join(' ')) ??
  parseName(userName);

const namesSomebody = ({ displayName, givenName, familyName }: UserChanges) =>
  [displayName, givenName, familyName].some((part) => part !== undefined);

async function setName(trx: Kysely<Database>, userId: number, before: string | null, name: string | null) {
  if (name === null || name === before) return;
  await userRepository(trx).setName(userId, name);
  if (before !== null) await record(trx, userId, 'details_changed', 'Name, SCIM');
}

/** Ends all access, also on reactivation: a sign-in that overlapped may have left a session. Returns the sessions. */
async function setActive(trx: Kysely<Database>, user: Pick<UserRecord, 'id' | 'role' | 'status'>, active: boolean) {
  const status = active ? 'Active' : 'Inactive';
  const { id: userId } = user;
  if (status === user.status) return [];
  if (!active && user.role === 'Admin' && !(await groupRepository(trx).hasOtherAdministrator(userId)))
    throw lastAdministrator('deactivated');
  await scimUserRepository(trx).setStatus(userId, status);
  await record(trx, userId, 'status_changed', `${user.status} to ${status}, SCIM`);
  await revokeAccessTokens(trx, { userId, by: 'operator' });
  return sessionRepository(trx).deleteAll(userId);
}

async function setAddress(trx: Kysely<Database>, user: UserRecord, email: string) {
  if (email === user.email) return;
  const { id: userId } = user;
  if (await userRepository(trx).byEmail(email)) throw taken(`Another account of Roster has the address ${email}.`);
  await userRepository(trx).setEmail(userId, email, true);
  await scimUserRepository(trx).removeMailedTokens(userId);
  await record(trx, userId, 'details_changed', 'Email address, SCIM');
  await enqueue(trx, mailJob, { template: 'address_changed', before: user.email, email });
}

/** The account that a new user of the directory gets: the existing one with the address, or a new one. */
async function findOrCreate(trx: Kysely<Database>, provider: Provider, email: string): Promise<UserRecord> {
  const users = userRepository(trx);
  if (await users.isEmpty())
    throw new AppError(
      'not_allowed',
      'Roster has no accounts yet. Create the first one in Roster before you provision others.',
    );
  const existing = await users.byEmail(email);
  if (!existing) {
    const account = { email, name: null, passwordHash: null, emailVerified: true };
    const role = firstRole(provider);
    const user = await users.insert({ ...account, role, createdAt: new Date().toISOString() });
    if (!user) throw taken(`An account of Roster has the address ${email}.`);
    await record(trx, user.id, 'account_created', 'SCIM');
    return user;
  }
  if (await scimUserRepository(trx).byId(existing.id)) throw taken(`Another user has the address ${email}.`);
  // It may have been registered by somebody who does not own the address.
  if (!existing.emailVerified)
    throw taken(
      `An account with the address ${email} exists, but the address is not confirmed. Its owner can confirm it under Settings > Account, or an administrator can delete the account; then provision again.`,
    );
  await record(trx, existing.id, 'details_changed', 'Taken over by SCIM');
  return existing;
}

async function create(trx: Kysely<Database>, provider: Provider, changes: UserChanges) {
  await lockAccounts(trx);
  const { userName } = changes;
  if (userName === undefined) throw new ScimError('invalidValue', 'A user needs a userName.');
  const { externalId = null, displayName = null, givenName = null, familyName = null } = changes;
  const attributes = { userName, externalId, displayName, givenName, familyName };
  const users = scimUserRepository(trx);
  if (await users.isTaken(attributes, undefined)) throw taken('A user with this userName or externalId exists.');
  const user = await findOrCreate(trx, provider, addressOf(changes));
  const { id } = user;
  await users.insert(id, attributes);
  if (user.name === null || namesSomebody(changes)) await setName(trx, id, user.name, nameOf(attributes));
  return { id, sessions: await setActive(trx, user, changes.active ?? true) };
}

/** A user whose address was the user name keeps the two equal. */
function nextAddress(before: ScimUser, { email, userName }: UserChanges): string {
  if (email !== undefined) return addressOf({ email });
  const isBoth = userNameKey(before.userName) === before.email;
  const address = isBoth && userName !== undefined ? parseEmail(userName) : before.email;
  return typeof address === 'string' ? address : before.email;
}

/** Returns the ended sessions. */
async function change(trx: Kysely<Database>, userId: number, changes: UserChanges) {
  await lockAccounts(trx);
  const users = scimUserRepository(trx);
  const user = await userRepository(trx).lock(userId);
  const before = await users.byId(userId);
  if (!user || !before) throw userNotFound();
  const { userName, externalId, displayName, givenName, familyName } = { ...before, ...changes };
  const attributes = { userName, externalId, displayName, givenName, familyName };
  if (await users.isTaken(attributes, userId)) throw taken('Another user has this userName or externalId.');
  await users.update(userId, attributes);
  await setAddress(trx, user, nextAddress(before, changes));
  const isNamed = namesSomebody(changes) || nameOf(attributes) !== nameOf(before);
  if (isNamed) await setName(trx, userId, user.name, nameOf(attributes));
  return setActive(trx, user, changes.active ?? user.status === 'Active');
}

async function list({ db, write }: Dependencies, query: ListQuery) {
  const users = scimUserRepository(db);
  const criteria = readUserCriteria(query.filter);
  const total = await users.count(criteria);
  const found = query.count === 0 ? [] : await users.page(criteria, query.startIndex - 1, query.count);
  const ids = found.map(({ id }) => id);
  const groups = isWanted(query, 'groups') && ids.length > 0 ? await users.groupsOf(ids) : [];
  const byUser = Map.groupBy(groups, ({ userId }) => userId);
  const resources = found.map((user) => project(write.user(user, byUser.get(user.id) ?? []), query));
  return listResponse(total, query.startIndex, resources);
}

async function find({ db, write }: Dependencies, id: string | undefined, query: unknown): Promise<JsonObject> {
  const userId = readId(id);
  const user = userId === undefined ? undefined : await scimUserRepository(db).byId(userId);
  if (!user) throw userNotFound();
  return project(write.user(user, await scimUserRepository(db).groupsOf([user.id])), readProjection(query));
}

async function update(dependencies: Dependencies, id: string | undefined, changes: UserChanges) {
  const { db, onSessionsEnded } = dependencies;
  const userId = readId(id);
  if (userId === undefined) throw userNotFound();
  const ended = await db
    .transaction()
    .execute((trx) => change(trx, userId, changes))
    .catch(asTaken);
  onSessionsEnded(ended);
  return find(dependencies, id, {});
}

/** The accounts that a directory maintains, as users of SCIM. */
export function scimUsers(dependencies: Dependencies) {
  const { db, provider, removeAccount, onSessionsEnded } = dependencies;
  return {
    list: (query: unknown) => list(dependencies, readListQuery(query)),
    find: (id: string | undefined, query: unknown) => find(dependencies, id, query),
    async create(body: unknown): Promise<JsonObject> {
      const changes = readUserChanges(readResource(body));
      const { id, sessions } = await db
        .transaction()
        .execute((trx) => create(trx, provider, changes))
        .catch(asTaken);
      onSessionsEnded(sessions);
      return find(dependencies, String(id), {});
    },
    replace: (id: string | undefined, body: unknown) => update(dependencies, id, readUserChanges(readResource(body))),
    patch: (id: string | undefined, body: unknown) => update(dependencies, id, readUserChanges(readPatch(body))),
    async remove(id: string | undefined) {
      const userId = readId(id);
      if (userId === undefined || !(await scimUserRepository(db).byId(userId))) throw userNotFound();
      const isRemoved = await removeAccount(userId, {
        by: 'operator',
        detail: 'SCIM',
        recheckAccess: async () => undefined,
      });
      if (!isRemoved) throw userNotFound();
    },
  };
}

export type ScimUsers = ReturnType<typeof scimUsers>;
