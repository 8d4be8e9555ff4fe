// Keeps time limits out of tests: they wait for states, for up to ten minutes (scripts/test/patience.ts), because a
// slow machine is not a failure. Verified on planted violations before each run.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

const atLeastMs = 600_000;
const number = String.raw`(\d[\d_]*)`;
/** Each finds a limit; if it is in milliseconds, ten minutes and none at all (0) are allowed. */
const limits = [
  // An idle callback runs after this time in any case: not a limit.
  new RegExp(String.raw`(?<!requestIdleCallback\(.*)\b(?:\w+T|t)imeout: ${number}`),
  new RegExp(String.raw`\.set(?:Default(?:Navigation)?)?Timeout\(${number}`),
  new RegExp(String.raw`\bAbortSignal\.timeout\(${number}`),
  new RegExp(String.raw`\bperformance\.now\(\) \+ ${number}`),
  new RegExp(String.raw`\bpatience\w* = ${number}`, 'i'),
  // Ten attempts, or a second: polling takes its patience from the settings.
  /\battempts? < \d{2,}/,
  /\bvi\.wait(?:For|Until)\(/,
  /\bwaitForTimeout\(/,
  // Wall-clock time on a busy machine; testing/process-clock.ts has a clock that stops while a process waits for a
  // processor.
  /expect\((?:performance|Date)\.now\(\) - \w+\)\.toBeLessThan/,
];
const isShort = (milliseconds) =>
  milliseconds === undefined ||
  (Number(milliseconds.replaceAll('_', '')) < atLeastMs && Number(milliseconds.replaceAll('_', '')) !== 0);

function violationsIn(text) {
  return limits.flatMap((limit) =>
    [...text.matchAll(new RegExp(limit, `g${limit.flags}`))]
      .filter(([, milliseconds]) => isShort(milliseconds))
      .map(({ 0: found, index }) => ({ found, line: text.slice(0, index).split('\n').length })),
  );
}

const planted = [
  'test.setTimeout(90_000);',
  'await expect(dialog).toBeVisible({ timeout: 20_000 });',
  "test('ends', { timeout: 300_000 }, async () => {});",
  'export default defineConfig({ testTimeout: 60_000 });',
  'page.setDefaultTimeout(5000);',
  'await fetch(url, { signal: AbortSignal.timeout(30_000) });',
  'const giveUpAt = performance.now() + 120_000;',
  'const patienceMs = 100_000;',
  'for (let attempt = 0; attempt < 200; attempt++) await look();',
  'await vi.waitFor(() => expect(ends).toHaveLength(1));',
  'await page.waitForTimeout(500);',
  'expect(performance.now() - started).toBeLessThan(5_000);',
];
const harmless = [
  'export default defineConfig({ testTimeout: testLimitMs });',
  "test('ends', { timeout: 0 }, async () => {});",
  'const giveUpAt = performance.now() + patienceMs;',
  'requestIdleCallback(() => resolve(null), { timeout: 2000 }));',
  'expect(ownTime() - since).toBeLessThan(4_000);',
  'await expect.poll(isReady).toBe(true);',
];
const failures = [];
for (const text of planted) if (violationsIn(text).length === 0) failures.push(`Planted, and not found: ${text}`);
for (const text of harmless) if (violationsIn(text).length > 0) failures.push(`Found where nothing is wrong: ${text}`);

const isTest = (path) => /\.(?:test|spec)\.tsx?$|\/testing\/|vitest\.config\.ts$/.test(path);
const filesBelow = (folder, isWanted) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => /\.(?:ts|tsx|mjs)$/.test(path) && !path.includes('/node_modules/') && isWanted(path));
const files = [
  ...['server', 'web', 'simulator'].flatMap((workspace) => filesBelow(`${workspace}/src`, isTest)),
  ...filesBelow('e2e', () => true),
  ...filesBelow('scripts/package', () => true),
];
for (const path of files)
  for (const { found, line } of violationsIn(readFileSync(join(root, path), 'utf8')))
    failures.push(`${path}:${line}: ${found}`);

/** Without these a runner has its own limits, of seconds. */
const settings = {
  'server/vitest.config.ts': ['testTimeout: testLimitMs', 'hookTimeout: testLimitMs', 'poll: { timeout: patienceMs'],
  'simulator/vitest.config.ts': ['testTimeout: testLimitMs', 'hookTimeout: testLimitMs', 'poll: { timeout: patienceMs'],
  'web/vitest.config.ts': ['testTimeout: testLimitMs', 'hookTimeout: testLimitMs', 'poll: { timeout: patienceMs'],
  'playwright.config.ts': ['timeout: testLimitMs', 'expect: { timeout: patienceMs }', 'actionTimeout: patienceMs'],
};
for (const [path, needed] of Object.entries(settings)) {
  const text = readFileSync(join(root, path), 'utf8');
  for (const words of needed) if (!text.includes(words)) failures.push(`${path} has not '${words}'`);
  for (const { found, line } of violationsIn(text)) failures.push(`${path}:${line}: ${found}`);
}
if (files.length < 200) failures.push(`Only ${files.length} files were looked at`);

for (const failure of failures) console.error(failure);
console.log(`${files.length} files, ${planted.length} planted violations, ${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
