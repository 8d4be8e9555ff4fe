import { ScimError } from '#server/http/scim/errors';
import { isObject } from '#server/lib/is-object';
import { type Change, member, readText } from './changes.ts';
import type { AttributePath } from './filter.ts';

/** The changes of a request to a user. Attributes that it does not name are left out, and unknown ones ignored. */
export type UserChanges = {
  userName?: string;
  externalId?: string | null;
  displayName?: string | null;
  givenName?: string | null;
  familyName?: string | null;
  email?: string;
  active?: boolean;
};

const longest = { userName: 320, externalId: 500, name: 400, email: 320 };

const givenValue = ({ op, value }: Change): unknown => (op === 'remove' ? null : value);

function readUserName(change: Change): UserChanges {
  const userName = readText('userName', givenValue(change), longest.userName);
  if (userName === null) throw new ScimError('invalidValue', 'A user needs a userName.');
  return { userName };
}

function readName(change: Change): UserChanges {
  const { part } = change.path;
  const value = givenValue(change);
  const read = (name: string, given: unknown) => readText(`name.${name}`, given, longest.name);
  if (part === 'givenname') return { givenName: read('givenName', value) };
  if (part === 'familyname') return { familyName: read('familyName', value) };
  if (part !== undefined) return {};
  if (value === null || value === undefined) return { givenName: null, familyName: null };
  if (!isObject(value)) throw new ScimError('invalidValue', 'name must be an object.');
  const [given, family] = [member(value, 'givenName'), member(value, 'familyName')];
  return {
    ...(given !== undefined && { givenName: read('givenName', given) }),
    ...(family !== undefined && { familyName: read('familyName', family) }),
  };
}

/** True if the path means the address for work or the primary one: an account has a single address. */
const isAccountAddress = ({ within }: AttributePath) =>
  (within ?? []).every(
    ({ attribute, value }) =>
      (attribute === 'type' && typeof value === 'string' && value.toLowerCase() === 'work') ||
      (attribute === 'primary' && value === true) ||
      attribute === 'value',
  );

/** The primary address of a list, or the one for work, or the first. */
function addressIn(list: readonly unknown[]): unknown {
  const items = list.filter(isObject);
  const chosen =
    items.find((item) => member(item, 'primary') === true) ??
    items.find((item) => String(member(item, 'type')).toLowerCase() === 'work') ??
    items[0];
  return chosen ? member(chosen, 'value') : list[0];
}

/** The address cannot be removed: an account always has one. */
function readEmails(change: Change): UserChanges {
  const { path, value } = change;
  if (change.op === 'remove' || !isAccountAddress(path) || (path.part !== undefined && path.part !== 'value'))
    return {};
  const email = readText('emails', Array.isArray(value) ? addressIn(value) : value, longest.email);
  return email === null ? {} : { email };
}

/** Entra ID sends the text "False" instead of false. */
function readActive({ op, value }: Change): UserChanges {
  if (op === 'remove' || value === null) return {};
  if (typeof value === 'boolean') return { active: value };
  const text = readText('active', value, 100)?.toLowerCase();
  if (text !== 'true' && text !== 'false') throw new ScimError('invalidValue', 'active must be true or false.');
  return { active: text === 'true' };
}

const readers: ReadonlyMap<string, (change: Change) => UserChanges> = new Map([
  ['username', readUserName],
  ['externalid', (change: Change) => ({ externalId: readText('externalId', givenValue(change), longest.externalId) })],
  ['displayname', (change: Change) => ({ displayName: readText('displayName', givenValue(change), longest.name) })],
  ['name', readName],
  ['emails', readEmails],
  ['active', readActive],
]);

/** @throws ScimError for a value that cannot be */
export function readUserChanges(changes: readonly Change[]): UserChanges {
  const all: UserChanges = {};
  for (const change of changes) Object.assign(all, readers.get(change.path.attribute)?.(change));
  return all;
}
