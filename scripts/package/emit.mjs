// Node.js strips no types below node_modules, so installed files must be JavaScript.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { root } from '../install.mjs';

const isForTests = (path) => /\.test\.ts$|^server\/src\/testing\//.test(path);
const isMigration = (path) => path.startsWith('server/src/db/migrations/');

/** Paths of the files below a folder, from the root. */
export const filesBelow = (folder, base = root) =>
  readdirSync(join(base, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(base, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));

/** Types are replaced by blanks, so line numbers in stack traces match the source. */
const asJavaScript = (text) =>
  stripTypeScriptTypes(text)
    .replaceAll(/(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g, '$1$2.js$1')
    .replaceAll(/(['"])@roster\/contracts\//g, '$1#contracts/')
    .replaceAll(/[ \t]+$/gm, '');

function write(folder, path, content) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Writes the server and its contracts into a folder, as JavaScript and in the same tree. */
export function emit(folder) {
  for (const path of [...filesBelow('server/src'), ...filesBelow('contracts/src')]) {
    if (isForTests(path)) continue;
    const content = readFileSync(join(root, path));
    if (!path.endsWith('.ts')) write(folder, path, content);
    else write(folder, path.replace(/\.ts$/, '.js'), asJavaScript(content.toString()));
    // Databases know migrations by the checksum of their source.
    if (path.endsWith('.ts') && isMigration(path)) write(folder, path, content);
  }
}
