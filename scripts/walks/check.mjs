// Follows the pages of docs/contributor/walks/ in one copy of the sources: makes their changes in two parts. After the
// first, types and tests must demand the second; after that, all must compile and pass. Fails, too, if a walk touches a
// file that its page does not name.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { environment, node, root } from '../install.mjs';
import { assistantField } from './assistant-field.mjs';
import { call } from './call.mjs';
import { page } from './page.mjs';
import { providerQuirk } from './provider-quirk.mjs';

const walks = [assistantField, call, page, providerQuirk];
const workspaces = ['contracts', 'server', 'web', 'simulator'];

/** All installed packages, and the workspaces of the copy in place of the real ones. */
function linkPackages(copy) {
  const folder = join(copy, 'node_modules');
  mkdirSync(join(folder, '@roster'), { recursive: true });
  for (const entry of readdirSync(join(root, 'node_modules')))
    if (entry !== '@roster') symlinkSync(join(root, 'node_modules', entry), join(folder, entry));
  for (const workspace of ['contracts', 'simulator'])
    symlinkSync(join(copy, workspace), join(folder, '@roster', workspace));
  for (const workspace of workspaces)
    if (existsSync(join(root, workspace, 'node_modules')))
      symlinkSync(join(root, workspace, 'node_modules'), join(copy, workspace, 'node_modules'));
}

function makeCopy() {
  const copy = mkdtempSync(join(tmpdir(), 'roster-walk-'));
  for (const folder of workspaces)
    cpSync(join(root, folder), join(copy, folder), {
      recursive: true,
      filter: (path) => !['node_modules', 'dist', '.cache'].includes(basename(path)),
    });
  for (const file of ['package.json', 'package-lock.json', 'tsconfig.base.json', 'scripts'])
    cpSync(join(root, file), join(copy, file), { recursive: true });
  linkPackages(copy);
  return copy;
}

/** A change is a file with a new text, or with a text to insert before the first place that has `before`. */
function apply(copy, { file, before, text }) {
  const path = join(copy, file);
  if (before === undefined) {
    mkdirSync(dirname(path), { recursive: true });
    return writeFileSync(path, text);
  }
  const source = readFileSync(path, 'utf8');
  const at = source.indexOf(before);
  if (at === -1) throw new Error(`${file} has no ${before.trim()}: the walk is out of date`);
  writeFileSync(path, source.slice(0, at) + text + source.slice(at));
}

/** The page names each file; a new one by the file that its change is `like`. */
function unnamedFiles({ name, most, code, last }) {
  const text = readFileSync(join(root, `docs/contributor/walks/${name}.md`), 'utf8');
  const files = new Set([...code, ...last].map(({ file, like = file }) => like));
  const unnamed = [...files].filter((file) => !text.includes(file) && !text.includes(`${dirname(file)}/\``));
  return [
    ...unnamed.map((file) => `${name}.md does not name ${file}.`),
    ...(files.size > most ? [`${name}.md promises ${most} files, and takes ${files.size}.`] : []),
  ];
}

function* followAll(copy) {
  const run = (args, cwd = copy) => {
    const { status, stdout, stderr } = spawnSync(node, args, {
      cwd,
      encoding: 'utf8',
      env: { ...environment(), NO_COLOR: '1' },
    });
    return { isOk: status === 0, output: `${stdout}${stderr}` };
  };
  const compile = (workspace) => run([join(root, 'node_modules/typescript-7/bin/tsc'), '-p', workspace]);
  const tests = walks.flatMap(({ demandingTests = [] }) => demandingTests);
  // Without the tests on PostgreSQL.
  const test = () =>
    run(
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '-t', '^(?!.*on postgres)', ...tests],
      join(copy, 'server'),
    );

  for (const change of walks.flatMap(({ code }) => code)) apply(copy, change);
  const types = compile('web').output;
  for (const { name, demandingTypes = [] } of walks)
    for (const words of demandingTypes)
      if (!types.includes(words)) yield `${name}: the web compiles without the last part: no error has ${words}.`;
  const failed = test().output;
  for (const file of tests) if (!failed.includes(`FAIL  ${file}`)) yield `${file} passes without the last part.`;
  if (run(['scripts/schema.mjs', '--check']).isOk) yield 'scripts/schema.mjs --check does not miss the new column.';

  const schema = run(['scripts/schema.mjs']);
  if (!schema.isOk) yield schema.output;
  for (const change of walks.flatMap(({ last }) => last)) apply(copy, change);
  for (const workspace of ['contracts', 'server', 'web']) {
    const { isOk, output } = compile(workspace);
    if (!isOk) yield `${workspace} does not compile after the walks:\n${output}`;
  }
  const passed = test();
  if (!passed.isOk) yield `The tests fail after the walks:\n${passed.output}`;
}

const copy = makeCopy();
try {
  for (const problem of [...walks.flatMap(unnamedFiles), ...followAll(copy)]) {
    console.error(problem);
    process.exitCode = 1;
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
