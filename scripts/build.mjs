import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment, node, root } from './install.mjs';

const stampFile = join(root, 'web/dist/.stamp');

/** A fingerprint of all files of the browser application: names, sizes and times, which are quick to read. */
function sources() {
  const hash = createHash('sha256');
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name === 'node_modules' || entry.name === 'dist') continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else hash.update(`${path}|${statSync(path).size}|${statSync(path).mtimeMs}\n`);
    }
  };
  for (const folder of ['web', 'contracts']) walk(join(root, folder));
  hash.update(readFileSync(join(root, 'package-lock.json')));
  return hash.digest('hex');
}

/** Builds the browser application if it is stale. Returns true on success. */
export function build() {
  const stamp = sources();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return true;
  console.log('Building the browser application …');
  rmSync(join(root, 'web/dist'), { recursive: true, force: true });
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const steps = [
    [vite, 'build', '--logLevel', 'warn'],
    [join(root, 'web/prerender.ts')],
    [join(root, 'scripts/compress.mjs')],
  ];
  for (const step of steps) {
    const { status } = spawnSync(node, step, { cwd: join(root, 'web'), env: environment(), stdio: 'inherit' });
    if (status !== 0) return false;
  }
  writeFileSync(stampFile, stamp);
  return true;
}
