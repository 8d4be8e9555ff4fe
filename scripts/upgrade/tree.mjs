// The tree of the last release, ready to run.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { environment, node, root } from '../install.mjs';

export const lastRelease = JSON.parse(readFileSync(join(root, 'scripts/upgrade/last-release.json'), 'utf8'));

function run(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', ...options });
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${error?.message ?? stderr}`);
  return stdout;
}

/** The revision to replace: another one may be named on the command line. */
export const replaced = process.argv[2] ?? lastRelease.revision;
export const isLastRelease = replaced === lastRelease.revision;

function commitOf(revision) {
  const args = ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`];
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status === 0) return stdout.trim();
  throw new Error(
    `This clone has no ${revision}, which scripts/upgrade/last-release.json or the command names. Fetch the whole history: git fetch --tags --unshallow`,
  );
}

const installedIn = (tree) => JSON.parse(readFileSync(join(tree, 'package-lock.json'), 'utf8')).packages;

/** True if everything in its lock file is installed here in the same versions. */
function hasSameLibraries(tree) {
  const here = installedIn(root);
  return Object.entries(installedIn(tree)).every(
    ([place, { version, link }]) =>
      place === '' || link || !place.includes('node_modules/') || here[place]?.version === version,
  );
}

const workspaces = ['contracts', 'server', 'web', 'simulator'];

/** Links its own workspaces and the libraries of this tree, whose files name each other by their real paths. */
function link(tree) {
  for (const place of ['.', ...workspaces]) {
    const from = join(root, place, 'node_modules');
    if (!existsSync(from)) continue;
    const to = join(tree, place, 'node_modules');
    mkdirSync(to);
    for (const name of readdirSync(from)) if (name !== '@roster') symlinkSync(join(from, name), join(to, name));
  }
  mkdirSync(join(tree, 'node_modules/@roster'));
  for (const name of workspaces) symlinkSync(join(tree, name), join(tree, 'node_modules/@roster', name));
}

/** The path of the replaced tree with its browser application built; created once. */
export function replacedTree() {
  const commit = commitOf(replaced);
  const tree = join(root, '.cache/upgrade', commit);
  const built = join(tree, 'web/dist/.stamp');
  if (existsSync(built)) return tree;
  // One tree stays: that of the last release, unless another one is named.
  rmSync(isLastRelease ? join(root, '.cache/upgrade') : tree, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  const archive = join(tree, 'tree.tar');
  run('git', ['archive', '--output', archive, commit], { cwd: root });
  run('tar', ['-xf', archive, '-C', tree]);
  rmSync(archive);
  const options = { cwd: tree, env: environment(), stdio: ['ignore', 'inherit', 'pipe'] };
  if (hasSameLibraries(tree)) link(tree);
  else run('npm', ['ci', '--no-fund', '--no-audit', '--loglevel=error'], options);
  const build = "process.exitCode = (await import('./scripts/build.mjs')).build() ? 0 : 1";
  run(node, ['--input-type=module', '--eval', build], options);
  return tree;
}
