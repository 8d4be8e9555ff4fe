/** Input generated from a JSON schema: mostly valid, often nearly valid, sometimes hostile. */

type Schema = Record<string, unknown>;

/** The same numbers for the same seed (mulberry32). */
export function seeded(seed: string): () => number {
  let state = 0;
  for (const letter of seed) state = Math.imul(state ^ letter.charCodeAt(0), 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const hostileTexts = [
  '',
  ' ',
  '\0',
  '\ud800',
  '\u202egnp.exe',
  '😀'.repeat(300),
  'a'.repeat(3_000),
  'x'.repeat(70_000),
  "'; drop table users; --",
  '%_%',
  '"unbalanced (query* OR',
  '<script>alert(1)</script>',
  '{{constructor}}',
  '\r\nset-cookie: a=b',
  '../../etc/passwd',
  'NaN',
  '１２３',
];
const plainTexts = ['a', 'Tutor', 'gpt-4o', 'Äpfel & Birnen', '7', 'true', 'Hello there'];
/** Texts of certain formats: one that matches the schema's pattern is used. */
const patternedTexts = [
  'asst_8fKq2ZrVn1LxWcTy5uHbGdEo',
  'agent_0be47c3d815f4a29',
  'AAAAAAAAAAAAAAAAAAAAAA',
  'a1b2c3d4-0000-4000-8000-000000000000',
  '2026-11-20',
  'a',
];
/** Usual values by field name, so that many inputs pass the first check. */
const usual: Record<string, (random: () => number) => unknown> = {
  email: (random) => `generated${Math.floor(random() * 1e9)}@example.com`,
  password: () => 'correct horse battery',
  apiKey: () => 'sk-generated-input-0123456789-abcdefghij',
  model: () => 'gpt-4o',
  clientId: (random) => `a1b2c3d4-0000-4000-8000-${String(Math.floor(random() * 1e12)).padStart(12, '0')}`,
};
const hostileNumbers = [0, -1, 1.5, 0.1 + 0.2, 1e308, -1e308, 2_147_483_648, Number.MAX_SAFE_INTEGER, 1e-320];
const plainNumbers = [1, 2, 3, 0.5, 0.7, 10, 100];
const keys = ['id', 'role', 'userId', '__proto__', 'constructor', 'toString', 'isDefault', '', 'a'.repeat(500)];

/** Extremes for external input: a smallest, a largest and a malformed value, whatever it is meant to be. */
const extremeTexts = [
  '',
  '0',
  '0x1e',
  '1e1',
  '030',
  '2147483647',
  '2147483648',
  '9007199254740993',
  '-1',
  'Infinity',
  '0000-01-01',
  '2000-01-01',
  '2026-02-30',
  '2199-12-31',
  '9999-12-31',
  '+010000-01-01',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59.999Z_2147483647',
  'Etc/GMT+99',
  'eUROPE/bERLIN',
  '../../master.key',
  '/etc/passwd',
  '2001:db8::/32',
  '::ffff:127.0.0.1',
  'http://[::1]:1/',
  '\0',
  '\ud800',
  '\u200b',
  '\u202e',
  `a${'\u0301'.repeat(2_000)}`,
  '👩‍👩‍👧‍👦'.repeat(50),
  '{'.repeat(160),
  `${'['.repeat(160)}${']'.repeat(160)}`,
  `$${'{'.repeat(160)}x${'}'.repeat(160)}$`,
  '__proto__',
  'constructor',
  'a%00b',
];
const extremeNumbers = [
  0,
  -0,
  -1,
  1,
  1.5,
  5e-324,
  0.01,
  2_147_483_647,
  2_147_483_648,
  Number.MAX_SAFE_INTEGER,
  1e308,
  -1e308,
];
const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
const extremeOthers = [null, true, [], {}, [null], nested(60), Array.from({ length: 150 }, (_, at) => at + 1)];

/** Cursors in the form of some lists, with extreme positions. */
const extremeCursors = [
  ['9999-12-31T23:59:59.999Z', 2_147_483_647],
  ['0000-01-01T00:00:00.000Z', 1],
  [true, '9999-12-31T23:59:59.999Z', 2_147_483_647],
  ['email', 'asc', '\ud800', 2_147_483_647],
  { value: '\ud800', id: 2_147_483_647 },
  { value: 2_147_483_647, id: 1 },
  { value: 1, id: 2_147_483_648 },
].map((place) => Buffer.from(JSON.stringify(place)).toString('base64url'));

/**
 * Fields of the same kind, such as the first and last day of a range: together they may accept what neither accepts
 * alone.
 */
function alike({ properties }: Schema): string[][] {
  if (typeof properties !== 'object' || properties === null) return [];
  const byKind = Map.groupBy(Object.entries(properties), ([, property]) => JSON.stringify(property));
  return [...byKind.values()].filter((fields) => fields.length > 1).map((fields) => fields.map(([name]) => name));
}

/**
 * Every extreme value in every field of otherwise valid input, one at a time and in all fields of a kind at once; the
 * rest is generated again for each.
 */
export function* extremes(schema: Schema, fitting: () => unknown, isText: boolean) {
  const values = isText
    ? [...extremeTexts, ...extremeCursors]
    : [...extremeTexts, ...extremeCursors, ...extremeNumbers, ...extremeOthers];
  for (const path of fieldsOf(schema))
    for (const value of values) yield { path: path.join('.'), value: withField(fitting(), path, value) };
  for (const names of alike(schema))
    for (const value of values) {
      const together = names.reduce<unknown>((whole, name) => withField(whole, [name], value), fitting());
      yield { path: names.join(), value: together };
    }
}

function fieldsOf(schema: Schema, above: string[] = []): string[][] {
  const { properties, items } = schema;
  const inner = (value: unknown): Schema => (typeof value === 'object' && value !== null ? { ...value } : {});
  if (above.length > 4) return [];
  if (typeof items === 'object') return [above, ...fieldsOf(inner(items), [...above, '0'])];
  const branches = [schema.anyOf ?? schema.oneOf ?? []].flat();
  if (branches.length > 0) return [above, ...branches.flatMap((branch) => fieldsOf(inner(branch), above).slice(1))];
  if (typeof properties !== 'object' || properties === null) return [above];
  const own = Object.entries(properties).flatMap(([name, property]) => fieldsOf(inner(property), [...above, name]));
  return above.length === 0 ? own : [above, ...own];
}

function withField(whole: unknown, [name, ...rest]: string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(whole))
    return whole.length === 0 ? [withField({}, rest, value)] : whole.with(0, withField(whole[0], rest, value));
  const fields: Record<string, unknown> = typeof whole === 'object' && whole !== null ? { ...whole } : {};
  return { ...fields, [name]: withField(fields[name], rest, value) };
}

/**
 * `ids`: existing objects that may be named. Half of the inputs are tame, so that the code behind the checks is
 * reached.
 */
export function generator(random: () => number, ids: readonly number[], usualWildness?: number) {
  const wildness = usualWildness ?? (random() < 0.5 ? 0.03 : 0.3);
  const chance = (share: number) => random() < share;
  const pick = <T>(list: readonly T[], otherwise: T): T => list[Math.floor(random() * list.length)] ?? otherwise;
  const schemaOf = (value: unknown): Schema => (typeof value === 'object' && value !== null ? { ...value } : {});

  function text(schema: Schema): string {
    if (chance(wildness)) return pick(hostileTexts, '');
    const { pattern } = schema;
    if (typeof pattern === 'string') return patternedTexts.find((one) => new RegExp(pattern, 'u').test(one)) ?? '';
    const limit = typeof schema.maxLength === 'number' && schema.maxLength < 20_000 ? schema.maxLength : 100;
    if (chance(wildness)) return 'é'.repeat(limit + pick([-1, 0, 1], 0));
    return pick(plainTexts, '');
  }

  function anything(depth = 0): unknown {
    if (depth > 3) return null;
    const kinds = [
      () => null,
      () => chance(0.5),
      () => pick(hostileNumbers, 0),
      () => text({}),
      () => Array.from({ length: Math.floor(random() * 4) }, () => anything(depth + 1)),
      () => Object.fromEntries(keys.filter(() => chance(0.2)).map((key) => [key, anything(depth + 1)])),
    ];
    return pick(kinds, () => null)();
  }

  function fitting(schema: Schema): unknown {
    if ('const' in schema) return schema.const;
    if (Array.isArray(schema.enum)) return pick<unknown>(schema.enum, null);
    const branches = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(branches)) return value(schemaOf(pick<unknown>(branches, {})));
    switch (schema.type) {
      case 'string':
        return text(schema);
      case 'number':
      case 'integer':
        return chance(wildness) ? pick(hostileNumbers, 0) : pick(schema.type === 'integer' ? ids : plainNumbers, 1);
      case 'boolean':
        return chance(0.5);
      case 'null':
        return null;
      case 'array': {
        const length = chance(0.05) ? 150 : Math.floor(random() * 4);
        return Array.from({ length }, () => value(schemaOf(schema.items)));
      }
      case 'object':
        return object(schema);
      default:
        return anything();
    }
  }

  function object(schema: Schema): Record<string, unknown> {
    const required = Array.isArray(schema.required) ? schema.required : [];
    const entries = Object.entries(schemaOf(schema.properties))
      .filter(([name]) => chance(required.includes(name) ? 1 - wildness / 3 : 0.5))
      .map(([name, property]) => [name, field(name, schemaOf(property))] as const);
    // An own property, as JSON.parse would define it: assigning `__proto__` would set the prototype.
    const extra = chance(wildness / 3) ? [[pick(keys, 'id'), anything()] as const] : [];
    return Object.fromEntries([...entries, ...extra]);
  }

  function value(schema: Schema): unknown {
    return chance(wildness / 2) ? anything() : fitting(schema);
  }

  function field(name: string, schema: Schema): unknown {
    const make = Object.hasOwn(usual, name) ? usual[name] : undefined;
    return make && chance(1 - wildness) ? make(random) : value(schema);
  }

  return {
    chance,
    pick,
    value,
    /** A JSON text for the schema; now and then none, or a broken one. */
    body(schema: Schema): string {
      if (chance(wildness / 6)) return pick(['', '{', '[]', 'null', '"a"', '\ufeff{}', '{"a":1,}', '[[[[]]]]'], '');
      return JSON.stringify(value(schema)) ?? '';
    },
    /** The values of a path or query, as text. */
    texts(schema: Schema): [name: string, text: string][] {
      return Object.entries(object(schema)).map(([name, item]) => [
        name,
        typeof item === 'string' ? item : (JSON.stringify(item) ?? ''),
      ]);
    },
  };
}
