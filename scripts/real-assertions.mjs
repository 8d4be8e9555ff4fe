// Keeps assertions out of the tests that hold whatever the product does, or nearly so. Verified on planted violations
// before each run. The reason next to each pattern says what to write instead.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

const literal = String.raw`(?:true|false|null|undefined|-?\d[\d_.]*|'[^'\n]*'|"[^"\n]*")`;
const weak = [
  [/\.toBe(?:Truthy|Falsy|Defined)\(/, 'say which value it is, how long it is, or what it matches'],
  [/\.not\s*\.toBe(?:Null|Undefined|NaN)\(/, 'say which value it is, how long it is, or what it matches'],
  [/\.not\s*\.(?:toBe|toEqual|toStrictEqual)\((?:null|undefined)\)/, 'say which value it is'],
  [/expect\.anything\(\)/, 'say what it is, or of which kind with expect.any'],
  [/\.toBeGreaterThanOrEqual\(0\)|\.toBeGreaterThan\(-\d+\)|\.not\s*\.toBeLessThan\(0\)/, 'no count is less'],
  [/\.toMatchObject\(\{\s*\}\)|objectContaining\(\{\s*\}\)/, 'every object holds no field'],
  [/arrayContaining\(\[\s*\]\)|stringContaining\(''\)|\.toContain(?:Text)?\(''\)/, 'everything contains nothing'],
  [new RegExp(String.raw`\bexpect\(\s*${literal}\s*[,)]`), 'a literal is what it is; expect what the product gave'],
  [/\bexpect\(([\w.?[\]()']+)\)\.(?:toBe|toEqual|toStrictEqual)\(\1\)/, 'both sides are the same'],
  [/\bexpect(?:\.(?:soft|poll))?\([^;]*?\)\s*\.catch\(/, 'a failure that is caught is none'],
];

const isComment = (text, index) => /^\s*(?:\/\/|\/?\*)/.test(text.slice(text.lastIndexOf('\n', index) + 1));

function violationsIn(text) {
  return weak.flatMap(([pattern, reason]) =>
    [...text.matchAll(new RegExp(pattern, 'g'))]
      .filter(({ index }) => !isComment(text, index))
      .map(({ 0: found, index }) => ({ found, reason, line: text.slice(0, index).split('\n').length })),
  );
}

const planted = [
  'expect(user.email).toBeTruthy();',
  'expect(rows[0]).toBeDefined();',
  'expect(body.error).toBeFalsy();',
  'expect(answer).not.toBeNull();',
  'expect(answer).not\n  .toBeUndefined();',
  'expect(answer).not.toEqual(undefined);',
  'expect(body).toEqual({ id: expect.anything() });',
  'expect(rows.length).toBeGreaterThanOrEqual(0);',
  'expect(rows.length).toBeGreaterThan(-1);',
  'expect(body).toMatchObject({});',
  "await expect(page.getByRole('alert')).toContainText('');",
  'expect(names).toEqual(expect.arrayContaining([]));',
  'expect(true).toBe(true);',
  "expect('done', 'reached').toBe(state);",
  'expect(body.items).toEqual(body.items);',
  "await expect(page.getByText('Stopped')).toBeVisible().catch(() => undefined);",
];
const harmless = [
  'expect(body.error).toBeUndefined();',
  'expect(answer.source).toBeNull();',
  "expect(fix).not.toBe('');",
  'expect(rows.length).toBeGreaterThanOrEqual(1);',
  'expect(done.finishedAt).toEqual(expect.any(String));',
  'expect(first.items).toEqual(second.items);',
  'await expect(asked).rejects.toThrow();',
  '// expect(true).toBe(true) would say nothing',
  'const answer = await call().catch(() => undefined);\nexpect(answer?.status).toBe(200);',
];

const failures = [];
for (const text of planted)
  if (violationsIn(text).length === 0) failures.push(`A planted violation was not found: ${text}`);
for (const text of harmless) if (violationsIn(text).length > 0) failures.push(`Found where nothing is wrong: ${text}`);

/** The tests and their helpers. */
const folders = ['server/src', 'web/src', 'simulator/src', 'e2e'];
const isTest = (path) => /\.(?:test|spec)\.tsx?$|(?:^|\/)testing\/.*\.tsx?$/.test(path) || /^e2e\/.*\.tsx?$/.test(path);
const files = folders
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((path) => `${folder}/${path}`))
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => isTest(path) && !path.includes('/node_modules/'));
for (const path of files)
  for (const { found, reason, line } of violationsIn(readFileSync(join(root, path), 'utf8')))
    failures.push(`${path}:${line} ${found.split('\n', 1)[0]}: ${reason}`);
if (files.length < 200) failures.push(`Only ${files.length} files were looked at`);

for (const failure of failures) console.error(failure);
console.log(`${files.length} files, ${planted.length} planted violations, ${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
