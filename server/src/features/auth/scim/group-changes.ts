import { ScimError } from '#server/http/scim/errors';
import { isObject } from '#server/lib/is-object';
import { type Change, member, readText } from './changes.ts';
import type { AttributePath, Condition } from './filter.ts';
import type { GroupCriteria } from './group-repository.ts';
import { readId, unknownAttribute } from './user-criteria.ts';

/** `replace` with its ids makes them the only members; `remove` without ids removes all. */
export type MemberChange = { kind: 'add' | 'remove' | 'replace'; ids: number[] } | { kind: 'remove-all' };

export type GroupChanges = { name?: string; externalId?: string | null; members: MemberChange[] };

const longestName = 500;

/** The ids in a list of members, or in one of them. Ids that no account can have are passed over. */
function idsIn(value: unknown): number[] {
  if (value === null || value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).flatMap((entry: unknown) => {
    const id = isObject(entry) ? member(entry, 'value') : entry;
    if (typeof id !== 'string' && typeof id !== 'number')
      throw new ScimError('invalidValue', 'A member needs a value: the id of a user.');
    return readId(String(id)) ?? [];
  });
}

/** The ids in `members[value eq "7"]`. */
function idsWithin({ within }: AttributePath): number[] | undefined {
  return within?.flatMap(({ attribute, value, ...rest }) => {
    if (attribute !== 'value' || rest.within || rest.part !== undefined)
      throw new ScimError('invalidPath', 'Members can be selected by value only: members[value eq "7"].');
    return readId(String(value)) ?? [];
  });
}

function readMembers({ op, path, value }: Change): MemberChange {
  const within = idsWithin(path);
  if (op !== 'remove') {
    if (within) throw new ScimError('invalidPath', 'Add members with a list in value.');
    return { kind: op, ids: idsIn(value) };
  }
  if (within) return { kind: 'remove', ids: within };
  // Entra ID names in value whom to remove.
  return value === undefined || value === null ? { kind: 'remove-all' } : { kind: 'remove', ids: idsIn(value) };
}

/** @throws ScimError for a value that cannot be */
export function readGroupChanges(changes: readonly Change[]): GroupChanges {
  const all: GroupChanges = { members: [] };
  for (const change of changes) {
    const value = change.op === 'remove' ? null : change.value;
    if (change.path.attribute === 'members') all.members.push(readMembers(change));
    if (change.path.attribute === 'externalid') all.externalId = readText('externalId', value, longestName);
    if (change.path.attribute !== 'displayname') continue;
    const name = readText('displayName', value, longestName);
    if (name === null) throw new ScimError('invalidValue', 'A group needs a displayName.');
    all.name = name;
  }
  return all;
}

/** `members eq "7"`, `members.value eq "7"` and `members[value eq "7"]` mean the same. */
function memberConditions(condition: Condition): Condition[] {
  const { within = [], part, value } = condition;
  if (part !== undefined && part !== 'value') throw unknownAttribute(condition);
  const foreign = within.find((inner) => inner.attribute !== 'value' || inner.within || inner.part !== undefined);
  if (foreign) throw unknownAttribute(foreign);
  return [...within, ...(value === undefined ? [] : [condition])];
}

function addCondition(into: GroupCriteria, condition: Condition) {
  const { attribute, value, within, part } = condition;
  if (attribute === 'members') {
    for (const inner of memberConditions(condition)) {
      const id = readId(inner.value);
      if (id === undefined) into.isNone = true;
      else into.members.push(id);
    }
    return;
  }
  if (within || part !== undefined) throw unknownAttribute(condition);
  if (attribute === 'id') {
    const id = readId(value);
    if (id === undefined) into.isNone = true;
    else into.ids.push(id);
    return;
  }
  if (attribute !== 'externalid' && attribute !== 'displayname') throw unknownAttribute(condition);
  if (typeof value !== 'string') into.isNone = true;
  else (attribute === 'externalid' ? into.externalIds : into.names).push(value);
}

/** @throws ScimError invalidFilter for an attribute that cannot be filtered by */
export function readGroupCriteria(conditions: readonly Condition[]): GroupCriteria {
  const criteria: GroupCriteria = { ids: [], externalIds: [], names: [], members: [], isNone: false };
  for (const condition of conditions) addCondition(criteria, condition);
  return criteria;
}
