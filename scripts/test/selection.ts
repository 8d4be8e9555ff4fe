import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Which tests of the server one run takes, by SERVER_TESTS:
 * - `quick`: SQLite only, without what takes long. `npm test` runs it.
 * - `postgres`: those tests that go through both engines, on PostgreSQL.
 * - `long`: what needs several processes on PostgreSQL (`*.pg.test.ts`) or takes long (`*.long.test.ts`).
 *
 * Together they are every test once. Unset, as where a file is named, nothing is left out.
 */
export type ServerTests = 'quick' | 'postgres' | 'long';

export function serverTests(): ServerTests | undefined {
  const name = process.env.SERVER_TESTS;
  if (name === undefined || name === 'quick' || name === 'postgres' || name === 'long') return name;
  throw new Error(`SERVER_TESTS must be quick, postgres or long, not ${name}`);
}

const isLong = (path: string) => /\.(?:pg|long)\.test\.ts$/.test(path);
const throughBothEngines = /\b(?:engines|filePlaces)\b/;

/** The test files of a run, as paths below `folder`, where the files of a source lie. */
export function testFilesOf(tests: ServerTests, folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.test.ts') && !path.endsWith('.system.test.ts'));
  if (tests === 'long') return files.filter(isLong);
  const usual = files.filter((path) => !isLong(path));
  if (tests === 'quick') return usual;
  return usual.filter((path) => throughBothEngines.test(readFileSync(join(folder, path), 'utf8')));
}
