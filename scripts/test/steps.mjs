import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '../chromium.mjs';
import { environment, node, root } from '../install.mjs';
import { playwrightReport, vitestReport } from './reports.mjs';
import { systemChecks } from './system.mjs';

/** Runners put their reports here; removed when the process ends. */
const reports = mkdtempSync(join(tmpdir(), 'roster-reports-'));
process.on('exit', () => rmSync(reports, { recursive: true, force: true }));

const bin = (path) => join(root, 'node_modules', path);
const one = (ok) => ({ passed: ok ? 1 : 0, failed: ok ? 0 : 1 });

/** One program, one check: it passes if the program exits with 0. */
const check = (name, args) => ({ name, run: async ({ program }) => one(await program(args)) });

/**
 * Results are cached, so that the next run only checks what has changed. One thread each: threads repeat half of each
 * other's work, and other checks use the other cores.
 */
const types = (name) => {
  const kept = ['--incremental', '--tsBuildInfoFile', join(root, `.cache/types/${name}.tsbuildinfo`)];
  return check(`types: ${name}`, [bin('typescript-7/bin/tsc'), '-p', name, '--singleThreaded', ...kept]);
};

/** A path from the root, relative to its workspace. */
const within = (workspace, path) => (path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path);

/** Tests that need external programs run only if they are named. */
const systemTestsOf = (rest) => (rest.some((word) => word.includes('.system.')) ? { SYSTEM_TESTS: '1' } : {});

/** All tests of a workspace, or those that `rest` selects. */
async function vitest(workspace, { program, rest, isQuiet }, env = {}) {
  const report = join(reports, `${workspace}.json`);
  const reporter = isQuiet ? join(root, 'scripts/test/quiet-vitest.mjs') : 'default';
  const args = [`--reporter=${reporter}`, '--reporter=json', `--outputFile.json=${report}`];
  for (const word of rest) args.push(within(workspace, word));
  // The PostgreSQL run selects the tests that name it; the others of a file have already run.
  const isChosen = env.SERVER_TESTS === 'postgres' || rest.some((word) => /^(-t|--testNamePattern)/.test(word));
  const ok = await program([bin('vitest/vitest.mjs'), 'run', ...args], {
    cwd: workspace,
    env: { ...env, ...systemTestsOf(rest) },
  });
  return vitestReport(report, ok, isChosen);
}
const testsOf = (workspace) => ({ name: `tests: ${workspace}`, run: (tools) => vitest(workspace, tools) });

/** With the machine's Chromium, which is installed if missing. */
const inChromium = (name, work) => ({
  name,
  async run(tools) {
    const path = chromium();
    if (path) return work(tools, path);
    return { ...one(false), names: ['Chromium is needed. Install it, or name it in CHROMIUM_PATH.'] };
  },
});

const firstLoad = inChromium('first load', async ({ program }, path) =>
  one(await program(['bench/main.ts', 'first-load'], { env: { CHROMIUM_PATH: path } })),
);

/** Tests of the web as scripts/test/selection.ts selects them; all of them if files are named. */
const webTests = (tests, name) =>
  inChromium(name, (tools, path) =>
    vitest('web', tools, { CHROMIUM_PATH: path, ...(tools.rest.length === 0 && { WEB_TESTS: tests }) }),
  );
const web = webTests('quick', 'tests: web');
const webLong = webTests('long', 'tests: web, long');

/** Browser tests: all, or those that `rest` selects. */
async function playwright({ program, rest, isQuiet }, path, env = {}) {
  const report = join(reports, 'browser.json');
  const named = { CHROMIUM_PATH: path, PLAYWRIGHT_JSON_OUTPUT_NAME: report, ...systemTestsOf(rest), ...env };
  const reporter = isQuiet ? join(root, 'scripts/test/quiet-browser.mjs') : 'list';
  const args = [bin('@playwright/test/cli.js'), 'test', `--reporter=${reporter},json`, ...rest];
  return playwrightReport(report, await program(args, { env: named }));
}

/** More failures than this are no accident, and are not repeated. */
const mostAgain = 10;

/**
 * Repeats each failed test once, alone, and names those that then pass: they are flaky, and a busy machine is no reason
 * to reject a change. Only in CI, which sets RERUN_BROWSER_TESTS.
 */
async function againAlone(tools, path, outcome) {
  const { unexpected = [], failed } = outcome;
  if (unexpected.length === 0 || unexpected.length > mostAgain || unexpected.length !== failed) return outcome;
  const flaky = [];
  const names = [];
  for (const [index, place] of [...new Set(unexpected.map((test) => test.place))].entries()) {
    const rest = [place, '--workers=1', `--output=.cache/browser-again/${index}`];
    const second = await playwright({ ...tools, rest }, path, { TRACE: 'on' });
    const those = unexpected.filter((test) => test.place === place);
    if (second.failed === 0 && second.passed > 0)
      for (const { title, traces } of those)
        flaky.push(
          `Flaky: ${place} › ${title} (failed: ${traces.join(' ')}; passed alone: ${second.traces.join(' ')})`,
        );
    else names.push(...second.names);
  }
  return { ...outcome, passed: outcome.passed + flaky.length, failed: failed - flaky.length, names, flaky };
}

const mainPaths = '@main';

/** Browser tests: those of the options or, if files or titles are named, these. */
const browserTests = (name, options) =>
  inChromium(name, async (tools, path) => {
    const chosen = { ...tools, rest: tools.rest.length > 0 ? tools.rest : options };
    if (!process.env.RERUN_BROWSER_TESTS) return playwright(chosen, path);
    const outcome = await playwright(chosen, path, { TRACE: 'retain-on-failure' });
    return againAlone(tools, path, outcome);
  });
const browser = browserTests('tests: browser', ['--grep', mainPaths]);

const building = "process.exitCode = (await import('./scripts/build.mjs')).build() ? 0 : 1";

/** Tests of the server as scripts/test/selection.ts selects them; all of them if files are named. */
const serverTests = (tests, name = `tests: server, ${tests}`) => ({
  name,
  run: (tools) => vitest('server', tools, tools.rest.length > 0 ? {} : { SERVER_TESTS: tests }),
});
const server = serverTests('quick', 'tests: server');

/**
 * The steps of `npm test`, in this order; `npm run test:all` adds the long ones, and `test:long` has only them. An
 * extra step runs only if it is named. Checks run in parallel, one for each core; those of a step that is `alone`
 * use all cores, and take the arguments after the step's name. A step that `isShared` too leaves cores idle, so other
 * steps run beside it; the one that `isLongest` starts first.
 */
export const steps = [
  {
    name: 'build',
    about: 'the browser application, as it is served',
    checks: [check('build', ['--input-type=module', '--eval', building])],
  },
  {
    name: 'types',
    about: 'TypeScript of every workspace, e2e and bench',
    checks: ['web', 'server', 'e2e', 'simulator', 'contracts'].map(types),
  },
  {
    name: 'lint',
    about: 'lint and format',
    checks: [check('lint and format', [bin('@biomejs/biome/bin/biome'), 'ci', '.'])],
  },
  {
    name: 'rules',
    about:
      'rules of our own, each proven by planted violations: documents, imports, classes, assertions, engines, queries, schema types, patience, sizes, deployments',
    checks: [
      check('documents', ['scripts/documents.mjs']),
      check('import rules', ['scripts/import-rules/check.mjs']),
      check('plain English', ['scripts/plain-english.mjs']),
      check('logical classes', ['scripts/logical-classes.mjs']),
      check('real assertions', ['scripts/real-assertions.mjs']),
      check('both engines', ['scripts/both-engines.mjs']),
      check('queries', ['scripts/queries.mjs']),
      check('schema types', ['scripts/schema.mjs', '--check']),
      check('patience', ['scripts/patience.mjs']),
      check('sizes', ['scripts/sizes.mjs', '--check']),
      check('deployments', ['scripts/deployments.mjs']),
    ],
  },
  { name: 'first-load', about: 'what a first visit fetches, against its budget', needs: 'build', checks: [firstLoad] },
  {
    name: 'simulator',
    about: 'tests of the simulated provider',
    alone: true,
    isShared: true,
    checks: [testsOf('simulator')],
  },
  {
    name: 'web',
    about: 'tests of the web, without those that take long: logic in Node, components in Chromium',
    alone: true,
    isShared: true,
    checks: [web],
  },
  {
    name: 'server',
    about: 'tests of the server on SQLite, without those that take long',
    alone: true,
    isShared: true,
    isLongest: true,
    checks: [server],
  },
  {
    name: 'browser',
    about: 'the main paths of the built product in Chromium',
    needs: 'build',
    alone: true,
    isShared: true,
    checks: [browser],
  },
  {
    name: 'server-postgres',
    about: 'the same tests of the server on PostgreSQL',
    alone: true,
    isLong: true,
    checks: [serverTests('postgres')],
  },
  {
    name: 'server-long',
    about: 'tests of the server that take long or need several processes on PostgreSQL',
    alone: true,
    isLong: true,
    checks: [serverTests('long')],
  },
  {
    name: 'web-long',
    about: 'tests of the web that take long: diagrams, many rows, generated and hostile Markdown',
    alone: true,
    isLong: true,
    isShared: true,
    checks: [webLong],
  },
  {
    name: 'browser-rest',
    about: 'the other tests of the built product in Chromium',
    needs: 'build',
    alone: true,
    isLong: true,
    checks: [browserTests('tests: browser, the rest', ['--grep-invert', mainPaths])],
  },
  {
    name: 'unused',
    about: 'unused files, exports and packages',
    isLong: true,
    checks: [check('unused code', [bin('knip/bin/knip.js')])],
  },
  {
    name: 'package',
    about: 'the package that runs without a clone: made, started and stopped',
    needs: 'build',
    isLong: true,
    checks: [check('package', ['scripts/package/check.mjs'])],
  },
  {
    name: 'walks',
    about: 'the pages of docs/contributor/walks are followed in a copy, which compiles and passes its tests',
    isLong: true,
    checks: [check('walks', ['scripts/walks/check.mjs'])],
  },
  {
    name: 'system',
    about: 'what needs programs from outside, such as PgBouncer, HAProxy and curl; says which are missing',
    needs: 'build',
    alone: true,
    isExtra: true,
    checks: systemChecks({ check, server, browser }),
  },
];

/** Runs a file, and again at every change, until interrupted. Returns false if there is no such file. */
export async function watch([file, ...options]) {
  const workspaces = ['server', 'web', 'simulator'];
  const workspace = workspaces.find((name) => existsSync(join(root, name, within(name, file))));
  if (!workspace) return false;
  const args = [bin('vitest/vitest.mjs'), 'watch', within(workspace, file), ...options];
  const env = { ...environment(), ...(file.endsWith('.tsx') && { CHROMIUM_PATH: chromium() }) };
  const child = spawn(node, args, { cwd: join(root, workspace), env, stdio: 'inherit' });
  child.on('exit', (code) => process.exit(code ?? 0));
  return true;
}
