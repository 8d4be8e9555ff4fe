// What a first visit to a page loads in JavaScript, gzipped: the entry, the page's own chunk, and all they import.
// Reads Vite's manifest; run after `vite build`. Fails when a measured page is over its budget.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const budget = 150_000;
const dist = process.argv[2] ?? join(import.meta.dirname, 'dist');

type Chunk = { file: string; isEntry?: boolean; imports?: string[] };

const shell = 'src/app/shell.tsx';
/** The modules that a page loads beside the entry. */
const pages: readonly [route: string, ...modules: string[]][] = [
  ['/auth', 'src/app/auth-route.tsx'],
  ['/', shell, 'src/features/home/home-page.tsx'],
  ['/chat', shell, 'src/app/chat-route.tsx'],
];

const manifest = new Map<string, Chunk>(
  Object.entries(JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))),
);

function chunkOf(module: string): Chunk {
  const chunk = manifest.get(module);
  if (!chunk) throw new Error(`${module} is not in the manifest: the page was moved, or is no longer loaded lazily`);
  return chunk;
}

function withImports(module: string, found = new Set<string>()): Set<string> {
  const { file, imports = [] } = chunkOf(module);
  if (found.has(file)) return found;
  found.add(file);
  for (const imported of imports) withImports(imported, found);
  return found;
}

const gzipped = (file: string) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;

const entry = [...manifest].find(([, chunk]) => chunk.isEntry)?.[0];
if (!entry) throw new Error('The manifest names no entry');

let tooLarge = false;
const rows = [];
for (const [route, ...modules] of pages) {
  const files = [...modules.reduce((found, module) => withImports(module, found), withImports(entry))];
  const bytes = files.reduce((sum, file) => sum + gzipped(file), 0);
  tooLarge ||= bytes > budget;
  rows.push(
    `${route.padEnd(12)}${(bytes / 1000).toFixed(1).padStart(8)} kB  of ${budget / 1000} kB  ${files.length} files`,
  );
}
process.stdout.write(`${rows.join('\n')}\n`);
if (tooLarge) {
  process.stderr.write('First load is over its budget.\n');
  process.exitCode = 1;
}
