// The file system of an image: checks its contents, and runs a process in it with a read-only root.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const largest = 260 * 1_000 * 1_000;

const buildTools = ['npm', 'npx', 'yarn', 'corepack', 'gcc', 'cc', 'g++', 'make', 'python3', 'git', 'curl'];
const folders = ['usr/local/bin', 'usr/bin', 'bin', 'usr/local/sbin', 'usr/sbin', 'sbin'];

function partsIn(app) {
  const { components } = JSON.parse(readFileSync(join(app, 'sbom.json'), 'utf8'));
  return new Set(components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name} ${version}`));
}

const isLicence = (name) => /^(licen[cs]e|copying|notice)/i.test(name);

function packagesIn(modules, scope = '') {
  return readdirSync(join(modules, scope)).flatMap((name) => {
    if (name.startsWith('.')) return [];
    return name.startsWith('@') ? packagesIn(modules, name) : [join(scope, name)];
  });
}

/** The problems of its contents. */
export function contents(place, version) {
  const failures = [];
  const expect = (isSo, what) => isSo || failures.push(what);
  const app = join(place, 'app');
  for (const tool of buildTools)
    expect(!folders.some((folder) => existsSync(join(place, folder, tool))), `${tool} is in the image`);
  expect(JSON.parse(readFileSync(join(app, 'package.json'), 'utf8')).version === version, 'It is another version');
  const parts = partsIn(app);
  const modules = join(app, 'node_modules');
  for (const name of packagesIn(modules)) {
    const about = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'));
    expect(parts.has(`${name} ${about.version}`), `${name} ${about.version} is not in sbom.json`);
    const says = about.license || readdirSync(join(modules, name)).some(isLicence);
    expect(says, `${name} says nothing of its licence`);
  }
  expect(parts.size > 40, `sbom.json has ${parts.size} parts only`);
  for (const name of ['LICENSE', 'THIRD-PARTY.md']) expect(existsSync(join(app, name)), `There is no /app/${name}`);
  return failures;
}

const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * Starts a program in it like a container: as the image's user without privileges, with only /tmp and /data writable,
 * in its own PID namespace. The network is this machine's.
 */
export function startIn(place, data, { user, env, command }) {
  mkdirSync(data, { recursive: true });
  const [uid, gid] = user.split(':');
  const inside = [
    'set -e',
    `mount --bind ${quoted(place)} ${quoted(place)}`,
    `mount --bind ${quoted(data)} ${quoted(join(place, 'data'))}`,
    `mount -t tmpfs -o mode=1777 tmpfs ${quoted(join(place, 'tmp'))}`,
    `mount -t proc proc ${quoted(join(place, 'proc'))}`,
    `mount --rbind /dev ${quoted(join(place, 'dev'))}`,
    `mount -o remount,bind,ro ${quoted(place)}`,
    `exec chroot ${quoted(place)} /usr/bin/env -i -C /data ${env.map(quoted).join(' ')} /usr/bin/setpriv --reuid ${uid} \
      --regid ${gid} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all ${command.map(quoted).join(' ')}`,
  ].join('\n');
  const args = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', inside];
  return spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** `unshare` does not forward signals, and its child is the program itself. */
export function signalIn({ pid }, signal) {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  process.kill(Number(child), signal);
}
