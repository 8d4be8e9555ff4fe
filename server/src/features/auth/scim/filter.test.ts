import { describe, expect, test } from 'vitest';
import { ScimError } from '#server/http/scim/errors';
import { seeded } from '#server/testing/generated';
import { readPatch } from './changes.ts';
import { type AttributePath, type Condition, type FilterValue, parseFilter, parsePath } from './filter.ts';
import { readGroupChanges } from './group-changes.ts';
import { readUserChanges } from './user-attributes.ts';

const printPath = ({ attribute, within, part }: AttributePath): string =>
  `${attribute}${within ? `[${print(within)}]` : ''}${part === undefined ? '' : `.${part}`}`;
const print = (supported: readonly Condition[]): string =>
  supported
    .map((one) => (one.value === undefined ? printPath(one) : `${printPath(one)} eq ${JSON.stringify(one.value)}`))
    .join(' and ');

const random = seeded('scim');
const pick = <T>(from: readonly [T, ...T[]]): T => from[Math.floor(random() * from.length)] ?? from[0];

const value = (): FilterValue =>
  pick<FilterValue>([
    'ada@example.com',
    'a "quoted" \\ text',
    'two\nlines',
    'Ω 🙂 ] ) and x eq "y"',
    '',
    true,
    false,
    null,
    7,
    -1.5e3,
  ]);
const name = () => pick(['username', 'emails', 'externalid', 'urn:x:y:2.0:user:field', '$ref', 'a-b_c']);

function condition(depth: number): Condition {
  const attribute = name();
  if (depth > 0 && random() < 0.3) {
    const within = supported(depth - 1);
    const part = random() < 0.5 ? { part: 'value' } : {};
    return 'part' in part || random() < 0.5 ? { attribute, within, ...part, value: value() } : { attribute, within };
  }
  return random() < 0.3 ? { attribute, part: 'value', value: value() } : { attribute, value: value() };
}
const supported = (depth: number): Condition[] =>
  Array.from({ length: 1 + Math.floor(random() * 3) }, () => condition(depth));

describe('the filter', () => {
  test('is read in any letters, with brackets, parentheses and schemas', () => {
    expect(parseFilter('USERNAME EQ "Ada"')).toEqual([{ attribute: 'username', value: 'Ada' }]);
    expect(parseFilter('urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"')).toEqual(
      parseFilter('userName eq "a"'),
    );
    expect(parseFilter(' (id eq "7") AND (active eq True and externalId eq null) ')).toEqual([
      { attribute: 'id', value: '7' },
      { attribute: 'active', value: true },
      { attribute: 'externalid', value: null },
    ]);
    expect(parsePath('emails[type eq "work"].value')).toEqual({
      attribute: 'emails',
      within: [{ attribute: 'type', value: 'work' }],
      part: 'value',
    });
  });

  test('is the same after it was printed and read', () => {
    for (let round = 0; round < 2_000; round++) {
      const filter = supported(2);
      expect(parseFilter(print(filter)), print(filter)).toEqual(filter);
    }
  });

  test('refuses everything else with invalidFilter, and nothing worse', () => {
    const pieces = [
      'userName',
      ' ',
      'eq',
      '"',
      'and',
      '[',
      ']',
      '(',
      ')',
      '.',
      '\\',
      'true',
      '1',
      '🙂',
      '\\u0000',
      'co',
      '%',
      '\n',
      'urn:',
    ] as const;
    for (let round = 0; round < 5_000; round++) {
      const garbage = Array.from({ length: Math.floor(random() * 12) }, () => pick(pieces)).join('');
      try {
        parseFilter(garbage);
      } catch (error) {
        expect(error instanceof ScimError && error.scimType, garbage).toBe('invalidFilter');
      }
    }
    for (const wrong of [
      '',
      'userName',
      'userName co "a"',
      'userName eq',
      'userName eq a',
      'not (id eq "1")',
      'id eq "1" or id eq "2"',
      'id eq "\\u0000"',
      'id eq "\\ud800"',
      `id eq "${'x'.repeat(3_000)}"`,
      '('.repeat(1_900),
    ])
      expect(() => parseFilter(wrong), wrong.slice(0, 50)).toThrow(ScimError);
  });
});

describe('changes by PATCH', () => {
  const unknown: readonly [object, ...object[]] = [
    { op: 'Add', path: 'nickName', value: 'Babs' },
    { op: 'Replace', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber', value: '7' },
    { op: 'remove', path: 'phoneNumbers[type eq "work"]' },
    { op: 'replace', value: { title: 'Boss', 'addresses[type eq "work"].country': 'ML', 'not a path!': 1 } },
    { op: 'Replace', path: 'emails[type eq "home"].value', value: 'home@example.com' },
    { op: 'add', path: 'name.honorificPrefix', value: 'Dr.' },
  ];
  const supported: readonly [object, ...object[]] = [
    { op: 'Replace', path: 'userName', value: 'ada@example.com' },
    { op: 'Replace', path: 'ACTIVE', value: 'False' },
    { op: 'replace', value: { 'name.givenName': 'Ada', displayName: 'Ada L.' } },
    { op: 'add', value: { name: { familyName: 'Lovelace' } } },
    { op: 'Add', path: 'emails[type eq "work"].value', value: 'work@example.com' },
    { op: 'Remove', path: 'externalId' },
  ];
  const read = (operations: readonly object[]) => readUserChanges(readPatch({ Operations: operations }));

  test('are the same whatever unknown attributes come between them', () => {
    expect(read(supported)).toEqual({
      userName: 'ada@example.com',
      active: false,
      givenName: 'Ada',
      familyName: 'Lovelace',
      displayName: 'Ada L.',
      email: 'work@example.com',
      externalId: null,
    });
    for (let round = 0; round < 500; round++) {
      const chosen = supported.filter(() => random() < 0.6);
      const mixed = chosen.flatMap((one) => [
        ...Array.from({ length: Math.floor(random() * 3) }, () => pick(unknown)),
        one,
      ]);
      mixed.push(pick(unknown));
      expect(read(mixed), JSON.stringify(mixed)).toEqual(chosen.length === 0 ? {} : read(chosen));
    }
  });

  test('are refused with a reason, and nothing worse', () => {
    const values = [
      null,
      1,
      true,
      'x',
      [],
      {},
      [[]],
      { value: { value: 1 } },
      [{ value: 'x' }],
      'x'.repeat(9_000),
    ] as const;
    const paths = [
      'userName',
      'active',
      'members',
      'displayName',
      'name',
      'emails',
      'members[value eq "1"]',
      '[',
      '',
      7,
      null,
    ] as const;
    for (let round = 0; round < 3_000; round++) {
      const operation = {
        op: pick(['add', 'Replace', 'REMOVE', 'move']),
        path: pick<unknown>(paths),
        value: pick<unknown>(values),
      };
      for (const changes of [readUserChanges, readGroupChanges])
        try {
          changes(readPatch({ Operations: [operation] }));
        } catch (error) {
          expect(error, JSON.stringify(operation)).toBeInstanceOf(ScimError);
        }
    }
    for (const body of [{}, [], null, 'x', { Operations: [] }, { Operations: 'x' }, { Operations: [1] }])
      expect(() => readPatch(body)).toThrow(ScimError);
  });
});
