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
    if (entry.isDirectory())
      return entry.name === 'testing' || entry.name === 'node_modules' ? [] : filesBelow(root, path);
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

/** The room of `path` inside `parent`: the folder directly below; undefined for files of the roof. */
function roomOf(parent, path) {
  if (!path.startsWith(`${parent}/`)) return undefined;
  const [first, ...rest] = path.slice(parent.length + 1).split('/');
  return rest.length === 0 ? undefined : first;
}

const parentsOf = (path) =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, depth, names) => names.slice(0, depth + 1).join('/'));

/** Pairs of rooms that reach each other, through others too, at any depth of the tree. */
function cyclesOf(imports) {
  const parents = new Set(imports.flatMap(({ from }) => parentsOf(from)));
  return [...parents].flatMap((parent) => {
    const edges = new Map();
    for (const { from, to } of imports) {
      const [a, b] = [roomOf(parent, from), roomOf(parent, to)];
      if (a === undefined || b === undefined || a === b) continue;
      if (!edges.has(a)) edges.set(a, new Set());
      edges.get(a).add(b);
    }
    const reaches = (a, b, seen = new Set()) =>
      [...(edges.get(a) ?? [])].some((next) => next === b || (!seen.has(next) && reaches(next, b, seen.add(next))));
    return [...edges].flatMap(([a, targets]) =>
      [...targets].filter((b) => reaches(b, a)).map((b) => `${parent}: ${a} -> ${b}`),
    );
  });
}

const featureFolder = /^(?:server|web)\/src\/features\/[^/]+/;

/** A feature's roof (its files outside rooms) puts the rooms together, so no room imports it; shared code has its own room. */
const importsOfRoofs = (imports) =>
  imports.flatMap(({ from, to }) => {
    const [feature] = featureFolder.exec(to) ?? [];
    if (!feature || !from.startsWith(`${feature}/`)) return [];
    return roomOf(feature, from) !== undefined && roomOf(feature, to) === undefined ? [`${from} -> ${to}`] : [];
  });

/** Sorted lines, each a violation. */
export const folderViolations = (imports) => [...new Set([...cyclesOf(imports), ...importsOfRoofs(imports)])].sort();
