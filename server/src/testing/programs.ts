import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const source = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The programs that tests start as separate processes: paths of the sources, and of bundles of them. */
export type Programs = { main: string; mainWithTools: string; operator: string };

export const sources: Programs = {
  main: source('main.ts'),
  mainWithTools: source('testing/main-with-tools.ts'),
  operator: source('cli/main.ts'),
};

declare module 'vitest' {
  interface ProvidedContext {
    programs: Programs;
  }
}

/** Packages of many small files are bundled; those with native parts, or loaded by name, stay where they are. */
const taken = ['@roster', 'kysely', 'yaml', 'zod'];
const isTaken = (id: string) => /^[./#]/.test(id) || taken.includes(id.split('/', 1)[0] ?? '');

/** Files next to a source, including worker threads, are resolved from the source's location. */
const inTheirPlaces: Plugin = {
  name: 'in-their-places',
  transform: {
    filter: { code: 'import.meta.url' },
    handler: (code, id) => code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
  },
};

const maxKept = 10;

/** Only the oldest: another run may be using the others, for sources that have changed since. */
function forgetOldest(all: string) {
  const age = (name: string) => statSync(join(all, name)).mtimeMs;
  const newestFirst = readdirSync(all).toSorted((one, other) => age(other) - age(one));
  for (const name of newestFirst.slice(maxKept)) rmSync(join(all, name), { recursive: true, force: true });
}

/**
 * Bundles the programs into a few files instead of 1,300: finding and reading those is half of the work of a start, and
 * tests that kill servers start 150 of them. main.long.test.ts and the browser tests start the sources themselves, as
 * operators do. The folder is named by content, so that the compile cache applies.
 */
export async function makePrograms(): Promise<Programs> {
  const made = await rolldown({
    input: { ...sources },
    platform: 'node',
    external: (id) => !isTaken(id),
    plugins: [inTheirPlaces],
    logLevel: 'silent',
  });
  const { output } = await made.generate({ format: 'esm', chunkFileNames: '[name]-[hash].js' });
  await made.close();
  const files = output.map((file) => ({
    name: file.fileName,
    text: file.type === 'chunk' ? file.code : String(file.source),
  }));
  const hash = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
  const all = fileURLToPath(new URL('../../.cache/programs/', import.meta.url));
  const folder = join(all, hash);
  if (!existsSync(folder)) {
    mkdirSync(all, { recursive: true });
    forgetOldest(all);
    const making = mkdtempSync(join(all, 'making-'));
    for (const { name, text } of files) writeFileSync(join(making, name), text);
    renameSync(making, folder);
  }
  const path = (name: keyof Programs) => join(folder, `${name}.js`);
  return { main: path('main'), mainWithTools: path('mainWithTools'), operator: path('operator') };
}
