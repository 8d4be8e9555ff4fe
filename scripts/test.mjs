// All checks, one after the other, with progress; the last line is the count. Names of steps as arguments run only those.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { environment, install, node, root } from './install.mjs';

install();
const { build } = await import('./build.mjs');
const { chromium } = await import('./chromium.mjs');

const reports = mkdtempSync(join(tmpdir(), 'roster-reports-'));
const only = process.argv.slice(2);
const count = { passed: 0, failed: 0 };
const failures = [];
const secondTries = [];

function program(args, { cwd = root, env = {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(node, args, { cwd, env: { ...environment(), ...env }, stdio: 'inherit' });
    child.on('exit', (code) => resolve(code === 0));
  });
}

const bin = (path) => join(root, 'node_modules', path);
const one = (ok) => ({ passed: ok ? 1 : 0, failed: ok ? 0 : 1 });
const check = (args, options) => async () => one(await program(args, options));

function fromReport(file, ok, read) {
  try {
    const { passed, failed, names } = read(JSON.parse(readFileSync(file, 'utf8')));
    // A run that failed without a failed test, such as an error between tests, counts as one.
    return { passed, failed: failed === 0 && !ok ? 1 : failed, names };
  } catch (error) {
    console.error(`No report: ${error.message}`);
    return { passed: 0, failed: 1 };
  }
}

const vitest = (workspace) => async () => {
  const file = join(reports, `${workspace}.json`);
  const args = [bin('vitest/vitest.mjs'), 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const ok = await program(args, { cwd: join(root, workspace) });
  return fromReport(file, ok, ({ numPassedTests, numFailedTests, testResults }) => {
    const complained = (status) =>
      testResults.flatMap(({ name, assertionResults }) =>
        assertionResults
          .filter((test) => test.status === status && test.failureMessages.length > 0)
          .map(({ fullName, failureMessages }) => named(relative(root, name), fullName, failureMessages)),
      );
    // What passed in the end and has something to complain of failed before.
    secondTries.push(...complained('passed'));
    return { passed: numPassedTests, failed: numFailedTests, names: complained('failed') };
  });
};

/** A failed test in two lines, for the end of the output. */
const named = (file, title, messages) => `${file} › ${title}\n      ${firstLine(messages[0] ?? 'no message')}`;
const firstLine = (message) => stripVTControlCharacters(message).split('\n', 1)[0];

/** All tests of a browser report, which holds them in files and groups within each other. */
const specs = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specs)];
const namesOf = (report, status) =>
  specs(report).flatMap(({ file, line, title, tests }) =>
    tests
      .filter((test) => test.status === status)
      .map(({ results }) =>
        named(
          `e2e/${file}:${line}`,
          title,
          results.flatMap(({ errors }) => errors.map(({ message }) => message ?? '')),
        ),
      ),
  );

function foundChromium() {
  const path = chromium();
  if (!path) console.error('The browser tests need Chromium. Install it, or name it in CHROMIUM_PATH.');
  return path;
}

const firstLoad = async () => {
  const path = foundChromium();
  return one(path !== undefined && (await program(['bench/main.ts', 'first-load'], { env: { CHROMIUM_PATH: path } })));
};

const browser = async () => {
  const path = foundChromium();
  if (!path) return one(false);
  const file = join(reports, 'browser.json');
  const env = { CHROMIUM_PATH: path, PLAYWRIGHT_JSON_OUTPUT_NAME: file };
  const ok = await program([bin('@playwright/test/cli.js'), 'test', '--reporter=list,json'], { env });
  return fromReport(file, ok, (report) => {
    const { expected, flaky, unexpected } = report.stats;
    secondTries.push(...namesOf(report, 'flaky'));
    return { passed: expected + flaky, failed: unexpected, names: namesOf(report, 'unexpected') };
  });
};

const steps = [
  ['types: contracts', check([bin('typescript/bin/tsc'), '-p', 'contracts'])],
  ['types: server', check([bin('typescript/bin/tsc'), '-p', 'server'])],
  ['types: simulator', check([bin('typescript/bin/tsc'), '-p', 'simulator'])],
  ['types: web', check([bin('typescript/bin/tsc'), '-p', 'web'])],
  ['types: e2e and bench', check([bin('typescript/bin/tsc'), '-p', 'e2e'])],
  ['lint and format', check([bin('@biomejs/biome/bin/biome'), 'ci', '.'])],
  ['import rules', check(['scripts/import-rules/check.mjs'])],
  ['logical classes', check(['scripts/logical-classes.mjs'])],
  ['unused code', check([bin('knip/bin/knip.js')])],
  ['build', async () => one(build())],
  ['first load', firstLoad],
  ['tests: simulator', vitest('simulator')],
  ['tests: web', vitest('web')],
  ['tests: server', vitest('server')],
  ['tests: browser', browser],
];

for (const [name, step] of steps) {
  if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
  const started = performance.now();
  console.log(`\n── ${name} ${'─'.repeat(Math.max(3, 60 - name.length))}`);
  const { passed, failed, names = [] } = await step();
  count.passed += passed;
  count.failed += failed;
  if (failed > 0) failures.push(`${name}: ${failed} failed`, ...names.map((test) => `  ${test}`));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`── ${name}: ${passed} passed, ${failed} failed, ${seconds} s`);
}
rmSync(reports, { recursive: true, force: true });
if (secondTries.length > 0)
  console.log(`\nNeeded a second try, each is to be looked into:\n  ${secondTries.join('\n  ')}`);
console.log(failures.length > 0 ? `\nFailed:\n  ${failures.join('\n  ')}` : '');
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exit(count.failed === 0 && count.passed > 0 ? 0 : 1);
