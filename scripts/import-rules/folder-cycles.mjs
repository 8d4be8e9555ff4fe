// Finds folders that import each other: two such folders can only be read together.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

const isProduct = (path) => /\.(?:ts|tsx)$/.test(path) && !/\.test\.tsx?$/.test(path);
const specifier = /(?:from|import)\s*\(?\s*['"]([^'"\n]+)['"]/g;
const aliases = [
  ['#server/', 'server/src/', '.ts'],
  ['#web/', 'web/src/', ''],
  ['@roster/contracts/', 'contracts/src/', '.ts'],
];

function filesBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'testing' || entry.name === 'node_modules' ? [] : filesBelow(root, path);
    return isProduct(path) ? [path] : [];
  });
}

function targetOf(from, name) {
  if (name.startsWith('.')) return posix.join(posix.dirname(from), name);
  for (const [prefix, folder, ending] of aliases)
    if (name.startsWith(prefix)) return `${folder}${name.slice(prefix.length)}${ending}`;
  return undefined;
}

/** Every import in the product, as pairs of paths from `root`. */
export function importsIn(root, folders) {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => filesBelow(root, folder))
    .flatMap((from) =>
      [...readFileSync(join(root, from), 'utf8').matchAll(specifier)].flatMap(([, name]) => {
        const to = targetOf(from, name);
        return to && existsSync(join(root, to)) && statSync(join(root, to)).isFile() ? [{ from, to }] : [];
      }),
    );
}

/** The name that `path` has among the entries of `parent`: a folder, or '.' for a file directly inside. */
function entryOf(parent, path) {
  if (!path.startsWith(`${parent}/`)) return undefined;
  const [first, ...rest] = path.slice(parent.length + 1).split('/');
  return rest.length === 0 ? '.' : first;
}

const parentsOf = (path) => path.split('/').slice(0, -1).map((_, depth, names) => names.slice(0, depth + 1).join('/'));

/**
 * Pairs of neighboring folders that reach each other, through others too, at any depth of the tree. Files directly in a
 * folder count as its roof, which imports its rooms: no room may import the roof.
 */
export function folderCycles(imports) {
  const parents = new Set(imports.flatMap(({ from }) => parentsOf(from)));
  return [...parents].flatMap((parent) => {
    const edges = new Map();
    for (const { from, to } of imports) {
      const [a, b] = [entryOf(parent, from), entryOf(parent, to)];
      if (a === undefined || b === undefined || a === b) continue;
      if (!edges.has(a)) edges.set(a, new Map());
      const between = edges.get(a);
      between.set(b, [...(between.get(b) ?? []), `${from} -> ${to}`]);
    }
    const reaches = (a, b, seen = new Set()) =>
      [...(edges.get(a)?.keys() ?? [])].some(
        (next) => next === b || (!seen.has(next) && reaches(next, b, seen.add(next))),
      );
    return [...edges].flatMap(([a, targets]) =>
      [...targets]
        .filter(([b]) => reaches(b, a))
        .map(([b, examples]) => ({ parent, a, b, count: examples.length, examples })),
    );
  });
}
