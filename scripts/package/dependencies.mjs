// The server's runtime dependencies, in the tested versions.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../install.mjs';

export const json = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

const ours = '@roster/';

/** Packages with their exact versions. */
export function dependencies() {
  const direct = Object.entries({
    ...json('server/package.json').dependencies,
    ...json('contracts/package.json').dependencies,
  });
  return Object.fromEntries(direct.filter(([name]) => !name.startsWith(ours)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Finds a package as Node.js resolves it from another one's folder. Returns undefined if it is not installed. */
function placeOf(name, from, packages) {
  for (let folder = from; ; folder = folder.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, '')) {
    const place = `${folder && `${folder}/`}node_modules/${name}`;
    if (packages[place]) return place;
    if (folder === '') return undefined;
  }
}

/** The part of the lock file that an installation of the package uses, unchanged. */
export function locked() {
  const { packages } = json('package-lock.json');
  const found = {};
  const queue = Object.keys(dependencies()).map((name) => [name, '']);
  for (let next = queue.pop(); next; next = queue.pop()) {
    const [name, from, isOptional = false] = next;
    const place = placeOf(name, from, packages);
    if (!place && !isOptional) throw new Error(`${name}, which ${from || 'the server'} needs, is not in the lock file`);
    if (!place || found[place]) continue;
    const entry = packages[place];
    found[place] = entry;
    for (const needed of Object.keys(entry.dependencies ?? {})) queue.push([needed, place]);
    for (const needed of Object.keys(entry.optionalDependencies ?? {})) queue.push([needed, place, true]);
    for (const needed of Object.keys(entry.peerDependencies ?? {})) queue.push([needed, place, true]);
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}
