import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../build.mjs';
import { environment, root } from '../install.mjs';
import { dependencies, json, locked } from './dependencies.mjs';
import { emit } from './emit.mjs';

const { license, description, version: current } = json('package.json');

/** For people who do not follow every release: check.mjs starts the package with it. */
export const oldestNode = '22.18.0';

function describe(folder, version) {
  const about = {
    name: 'roster',
    version,
    license,
    description,
    type: 'module',
    bin: { roster: 'server/src/cli.js' },
    engines: { node: `>=${oldestNode}` },
    dependencies: dependencies(),
  };
  const imports = { '#server/*': './server/src/*.js', '#contracts/*': './contracts/src/*.js' };
  const files = ['npm-shrinkwrap.json', 'server', 'contracts', 'web', 'CHANGELOG.md', 'THIRD-PARTY.md'];
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...about, imports, files }, null, 2)}\n`);
  const { type: _, description: __, ...inLock } = about;
  const lock = { name: 'roster', version, lockfileVersion: 3, requires: true, packages: { '': inLock, ...locked() } };
  writeFileSync(join(folder, 'npm-shrinkwrap.json'), `${JSON.stringify(lock, null, 2)}\n`);
}

/** Puts the package's files into an empty folder. */
function stage(folder, version) {
  emit(folder);
  const dist = join(root, 'web/dist');
  cpSync(dist, join(folder, 'web/dist'), {
    recursive: true,
    filter: (path) => path !== join(dist, '.vite') && path !== join(dist, '.stamp'),
  });
  for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md']) copyFileSync(join(root, name), join(folder, name));
  copyFileSync(join(dist, '.vite/license.md'), join(folder, 'THIRD-PARTY.md'));
  describe(folder, version);
}

/** Creates `roster-VERSION.tgz` in a folder. Returns its path. */
export function makePackage(target, version = current) {
  if (!build()) throw new Error('The browser application could not be built');
  mkdirSync(target, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'roster-package-'));
  try {
    stage(folder, version);
    const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', target];
    const { status } = spawnSync('npm', args, {
      cwd: folder,
      env: environment(),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw new Error('npm pack failed');
    return join(target, `roster-${version}.tgz`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
