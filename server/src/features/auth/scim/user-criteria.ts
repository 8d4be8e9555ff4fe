import type { UserStatus } from '@roster/contracts/auth';
import { ScimError } from '#server/http/scim/errors';
import type { Condition } from './filter.ts';

/** The values that a filter asks of users. */
export type UserCriteria = {
  ids: number[];
  userNames: string[];
  externalIds: string[];
  emails: string[];
  names: string[];
  statuses: UserStatus[];
  /** No user can match, for example an id that is no number. */
  isNone: boolean;
};

/** The id of an account or a group; undefined: it cannot be one. */
export function readId(given: unknown): number | undefined {
  const id = typeof given === 'string' && /^[1-9]\d{0,9}$/.test(given) ? Number(given) : Number.NaN;
  return id <= 2_147_483_647 ? id : undefined;
}

export const unknownAttribute = ({ attribute, part }: Condition) =>
  new ScimError(
    'invalidFilter',
    `Filtering by ${[attribute, part].filter((name) => name !== undefined).join('.')} is not supported.`,
  );

/** `emails`, `emails.value`, and either with brackets: `emails[type eq "work"].value eq "ada@example.com"`. */
function addEmail(into: UserCriteria, condition: Condition) {
  const { within = [], part, value } = condition;
  if (part !== undefined && part !== 'value') throw unknownAttribute(condition);
  const email = (given: unknown) =>
    typeof given === 'string' ? into.emails.push(given.trim().normalize('NFC').toLowerCase()) : missed();
  const missed = () => {
    into.isNone = true;
  };
  if (value !== undefined) email(value);
  for (const inner of within) {
    if (inner.within || inner.part !== undefined) throw unknownAttribute(inner);
    if (inner.attribute === 'value') email(inner.value);
    // Every account has one address, which is for work and the primary one.
    else if (inner.attribute === 'type') {
      if (String(inner.value).toLowerCase() !== 'work') missed();
    } else if (inner.attribute === 'primary') {
      if (inner.value !== true) missed();
    } else throw unknownAttribute(inner);
  }
}

function addCondition(into: UserCriteria, condition: Condition) {
  const { attribute, value, within, part } = condition;
  if (attribute === 'emails') return addEmail(into, condition);
  if (within || part !== undefined) throw unknownAttribute(condition);
  if (attribute === 'active') {
    if (typeof value !== 'boolean') into.isNone = true;
    else into.statuses.push(value ? 'Active' : 'Inactive');
    return;
  }
  const texts = new Map([
    ['username', into.userNames],
    ['externalid', into.externalIds],
    ['displayname', into.names],
  ]).get(attribute);
  if (!texts && attribute !== 'id') throw unknownAttribute(condition);
  const id = readId(value);
  if (texts && typeof value === 'string') texts.push(value);
  else if (!texts && id !== undefined) into.ids.push(id);
  else into.isNone = true;
}

/** @throws ScimError invalidFilter for an attribute that cannot be filtered by */
export function readUserCriteria(conditions: readonly Condition[]): UserCriteria {
  const criteria: UserCriteria = {
    ids: [],
    userNames: [],
    externalIds: [],
    emails: [],
    names: [],
    statuses: [],
    isNone: false,
  };
  for (const condition of conditions) addCondition(criteria, condition);
  return criteria;
}
