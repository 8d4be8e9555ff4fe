// Runs on the machine's Node.js (18.14 or newer) before anything is installed: built-in modules only.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const installed = join(root, 'node_modules/.package-lock.json');

/** The pinned Node.js that everything runs on, whatever the machine has. */
const binary = process.platform === 'win32' ? 'node.exe' : 'node';
export const node = join(root, 'node_modules/node/bin', binary);

const pinned = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.node;

/** The machine's npm, run by the given Node.js. */
function npm(nodeBinary, args) {
  const cli = process.env.npm_execpath;
  const options = { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' };
  // npm releases older than this Node.js use APIs that it warns about.
  if (cli?.endsWith('.js')) return spawnSync(nodeBinary, ['--no-deprecation', cli, ...args], options).status === 0;
  const env = { ...process.env, PATH: `${dirname(nodeBinary)}${delimiter}${process.env.PATH ?? ''}` };
  return spawnSync('npm', args, { ...options, env }).status === 0;
}

/** A Node.js of this version below `.cache`; downloaded once. undefined: not available. */
export function nodeOf(version, name) {
  const folder = join(root, '.cache', name);
  const fetched = join(folder, 'node_modules/node/bin', binary);
  if (existsSync(fetched)) return fetched;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "allowScripts": { "node": true } }\n');
  const args = [
    'install',
    '--prefix',
    folder,
    '--no-save',
    '--no-fund',
    '--no-audit',
    '--loglevel=error',
    `node@${version}`,
  ];
  return npm(process.execPath, args) && existsSync(fetched) ? fetched : undefined;
}

/**
 * The Node.js to install with. An older one would skip the build tools' native parts, which are optional and name a
 * newer Node.js as their engine; so the pinned one is fetched first, by itself.
 */
function installer() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  return nodeOf(pinned, 'node') ?? fail();
}

function fail() {
  console.error('The packages could not be installed. The lines above say why; then run the command again.');
  process.exit(1);
}

const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/**
 * True if npm's record of the last installation matches the lock file. Dates are ignored: a checkout of another branch
 * has new files with old contents. Optional packages may be missing, as on another kind of machine.
 */
function isInstalled() {
  if (!existsSync(node) || !existsSync(installed)) return false;
  const there = packagesOf(installed);
  const { '': _project, ...wanted } = packagesOf(join(root, 'package-lock.json'));
  const isThere = ([path, { version, integrity, optional = false }]) =>
    there[path] ? there[path].version === version && there[path].integrity === integrity : optional;
  return Object.entries(wanted).every(isThere);
}

/**
 * For commands that load code of the server or of a package, which an older Node.js cannot read: reruns this command in
 * the pinned Node.js and does not return.
 */
export function installAndContinue() {
  install();
  // By version: npm may have linked this very file as the machine's Node.js.
  if (process.versions.node === pinned) return;
  const { status } = spawnSync(node, process.argv.slice(1), { env: environment(), stdio: 'inherit' });
  process.exit(status ?? 1);
}

/** Installs what the lock file names, unless that is done. */
export function install() {
  if (isInstalled()) return;
  console.log('Installing packages (once; about a minute) …');
  const started = installer();
  if (!npm(started, ['ci', '--no-fund', '--no-audit', '--loglevel=error']) || !existsSync(node)) fail();
}

/**
 * The environment in which `node` is the pinned one, with a compile cache: the second start is faster and needs 20 MB
 * less, because no types have to be stripped. By default the C library lets threads keep freed memory in up to eight
 * arenas per core; with two, a server under load needs 10 to 25 MB less.
 */
export function environment() {
  const paths = [dirname(node), join(root, 'node_modules/.bin'), process.env.PATH ?? ''];
  const kept = { NODE_COMPILE_CACHE: join(root, '.cache/compiled'), MALLOC_ARENA_MAX: '2' };
  return { ...kept, ...process.env, PATH: paths.join(delimiter) };
}
