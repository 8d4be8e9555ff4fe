import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The server tests of a run, by SERVER_TESTS:
 * - `quick`: SQLite only, without slow tests. `npm test` runs it.
 * - `postgres`: the tests for both engines, on PostgreSQL.
 * - `long`: tests with several processes on PostgreSQL (`*.pg.test.ts`) or slow ones (`*.long.test.ts`).
 *
 * Together they cover every test once. Unset, as for a named file, nothing is left out.
 */
export type ServerTests = 'quick' | 'postgres' | 'long';

export function serverTests(): ServerTests | undefined {
  const name = process.env.SERVER_TESTS;
  if (name === undefined || name === 'quick' || name === 'postgres' || name === 'long') return name;
  throw new Error(`SERVER_TESTS must be quick, postgres or long, not ${name}`);
}

/**
 * The tests of the web that end in `.test.ts` or `.test.tsx`, by WEB_TESTS: `quick` for `npm test`, without
 * `*.long.test.*`; `long` for those alone. Unset, as for a named file, nothing is left out.
 */
export function webTests(ending: 'ts' | 'tsx'): { include: string[]; exclude: string[] } {
  const name = process.env.WEB_TESTS;
  const all = `src/**/*.test.${ending}`;
  const long = `src/**/*.long.test.${ending}`;
  if (name === undefined) return { include: [all], exclude: [] };
  if (name === 'quick') return { include: [all], exclude: [long] };
  if (name === 'long') return { include: [long], exclude: [] };
  throw new Error(`WEB_TESTS must be quick or long, not ${name}`);
}

const isLong = (path: string) => /\.(?:pg|long)\.test\.ts$/.test(path);
const throughBothEngines = /\b(?:engines|filePlaces)\b/;

/** The test files of a run, as paths below `folder`. */
export function testFilesOf(tests: ServerTests, folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.test.ts') && !path.endsWith('.system.test.ts'));
  if (tests === 'long') return files.filter(isLong);
  const usual = files.filter((path) => !isLong(path));
  if (tests === 'quick') return usual;
  return usual.filter((path) => throughBothEngines.test(readFileSync(join(folder, path), 'utf8')));
}
