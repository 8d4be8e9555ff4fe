import type { Kysely } from 'kysely';
import { lockAccounts } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { ScimError } from '#server/http/scim/errors';
import { AppError } from '#server/lib/errors';
import type { JsonObject } from '#server/lib/is-object';
import { readPatch, readResource } from './changes.ts';
import { type GroupChanges, type MemberChange, readGroupChanges, readGroupCriteria } from './group-changes.ts';
import { type ScimGroup, scimGroupRepository } from './group-repository.ts';
import { isWanted, type ListQuery, listResponse, project, readListQuery, readProjection } from './list-query.ts';
import type { ResourceWriter } from './resources.ts';
import { followRoles, isRoleGroup, type Provider } from './roles.ts';
import { readId } from './user-criteria.ts';

type Dependencies = {
  db: Kysely<Database>;
  provider: Provider;
  write: ResourceWriter;
  /** Closes the open streams of these sessions. */
  onSessionsEnded: (sessionIds: string[]) => void;
};

const groupNotFound = () => new AppError('not_found', 'There is no such group.');
const taken = () => new ScimError('uniqueness', 'Another group has this displayName or externalId.');

async function changeMembers(trx: Kysely<Database>, groupId: number, change: MemberChange) {
  const groups = scimGroupRepository(trx);
  if (change.kind === 'remove-all' || change.kind === 'replace') await groups.removeAllMembers(groupId);
  if (change.kind === 'remove') await groups.removeMembers(groupId, change.ids);
  if (change.kind === 'add' || change.kind === 'replace') await groups.addMembers(groupId, change.ids);
}

/** Whose roles may change: those who came or left, or everybody if the group has become another one. */
function concerned(before: ReadonlySet<number>, after: ReadonlySet<number>, isSame: boolean): number[] {
  const all = [...new Set([...before, ...after])];
  return isSame ? all.filter((id) => before.has(id) !== after.has(id)) : all;
}

/** Changes members, and roles if the group gives one. Returns the sessions whose open streams must be closed. */
async function apply(
  trx: Kysely<Database>,
  provider: Provider,
  { group, before, changes }: { group: ScimGroup; before: ScimGroup | undefined; changes: GroupChanges },
) {
  const groups = scimGroupRepository(trx);
  const givesRole = isRoleGroup(provider, group) || (before !== undefined && isRoleGroup(provider, before));
  const membersNow = async () => new Set(givesRole ? await groups.memberIds(group.id) : []);
  const [earlier, isSame] = [await membersNow(), before?.name === group.name && before.externalId === group.externalId];
  for (const change of changes.members) await changeMembers(trx, group.id, change);
  return followRoles(trx, provider, concerned(earlier, await membersNow(), isSame));
}

async function create(trx: Kysely<Database>, provider: Provider, changes: GroupChanges) {
  await lockAccounts(trx);
  const { name, externalId = null } = changes;
  if (name === undefined) throw new ScimError('invalidValue', 'A group needs a displayName.');
  const groups = scimGroupRepository(trx);
  if (await groups.isTaken(name, externalId, undefined)) throw taken();
  const id = await groups.insert(name, externalId);
  const group = await groups.byId(id);
  if (!group) throw groupNotFound();
  return { id, sessions: await apply(trx, provider, { group, before: undefined, changes }) };
}

/** Returns the sessions whose open streams must be closed. */
async function change(trx: Kysely<Database>, provider: Provider, groupId: number, changes: GroupChanges) {
  await lockAccounts(trx);
  const groups = scimGroupRepository(trx);
  const before = await groups.byId(groupId);
  if (!before) throw groupNotFound();
  const { name = before.name, externalId = before.externalId } = changes;
  if (name !== before.name || externalId !== before.externalId) {
    if (await groups.isTaken(name, externalId, groupId)) throw taken();
    await groups.update(groupId, name, externalId);
  }
  return apply(trx, provider, { group: { ...before, name, externalId }, before, changes });
}

async function remove(trx: Kysely<Database>, provider: Provider, groupId: number) {
  await lockAccounts(trx);
  const groups = scimGroupRepository(trx);
  const group = await groups.byId(groupId);
  if (!group) throw groupNotFound();
  const members = isRoleGroup(provider, group) ? await groups.memberIds(groupId) : [];
  await groups.delete(groupId);
  return followRoles(trx, provider, members);
}

async function list({ db, write }: Dependencies, query: ListQuery) {
  const groups = scimGroupRepository(db);
  const criteria = readGroupCriteria(query.filter);
  const total = await groups.count(criteria);
  const found = query.count === 0 ? [] : await groups.page(criteria, query.startIndex - 1, query.count);
  const withMembers = isWanted(query, 'members') && found.length > 0;
  const members = withMembers ? await groups.membersOf(found.map(({ id }) => id)) : [];
  const byGroup = Map.groupBy(members, ({ groupId }) => groupId);
  const resources = found.map((group) =>
    project(write.group(group, withMembers ? (byGroup.get(group.id) ?? []) : undefined), query),
  );
  return listResponse(total, query.startIndex, resources);
}

async function find({ db, write }: Dependencies, id: string | undefined, query: unknown): Promise<JsonObject> {
  const groups = scimGroupRepository(db);
  const projection = readProjection(query);
  const groupId = readId(id);
  const group = groupId === undefined ? undefined : await groups.byId(groupId);
  if (!group) throw groupNotFound();
  const members = isWanted(projection, 'members') ? await groups.membersOf([group.id]) : undefined;
  return project(write.group(group, members), projection);
}

async function update({ db, provider, onSessionsEnded }: Dependencies, id: string | undefined, changes: GroupChanges) {
  const groupId = readId(id);
  if (groupId === undefined) throw groupNotFound();
  onSessionsEnded(await db.transaction().execute((trx) => change(trx, provider, groupId, changes)));
}

/** The groups that a directory maintains. */
export function scimGroups(dependencies: Dependencies) {
  const { db, provider, onSessionsEnded } = dependencies;
  return {
    list: (query: unknown) => list(dependencies, readListQuery(query)),
    find: (id: string | undefined, query: unknown) => find(dependencies, id, query),
    async create(body: unknown): Promise<JsonObject> {
      const changes = readGroupChanges(readResource(body));
      const { id, sessions } = await db.transaction().execute((trx) => create(trx, provider, changes));
      onSessionsEnded(sessions);
      return find(dependencies, String(id), {});
    },
    async replace(id: string | undefined, body: unknown): Promise<JsonObject> {
      await update(dependencies, id, readGroupChanges(readResource(body)));
      return find(dependencies, id, {});
    },
    patch: (id: string | undefined, body: unknown) => update(dependencies, id, readGroupChanges(readPatch(body))),
    async remove(id: string | undefined) {
      const groupId = readId(id);
      if (groupId === undefined) throw groupNotFound();
      onSessionsEnded(await db.transaction().execute((trx) => remove(trx, provider, groupId)));
    },
  };
}

export type ScimGroups = ReturnType<typeof scimGroups>;
