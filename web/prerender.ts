// Writes what the server sends before any script runs: dist/.pages.json, and one file per page in dist/.pages. Run
// after `vite build`.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SignInOptions, User } from '@roster/contracts/auth';
import { pages } from '@roster/contracts/page-paths';
import react from '@vitejs/plugin-react';
import { build, type Plugin } from 'vite';
import { contractCalls } from './contract-calls.ts';
import { firstFile, firstPageEntries } from './first-pages.ts';
import { splitStyles } from './first-styles.ts';
import type { Shell } from './src/prerender.tsx';

const web = import.meta.dirname;
const dist = join(web, 'dist');
const built = join(dist, '.prerender');

/** Modules requested with `import()` while a page was rendered, by their names in the manifest. */
const asked = new Set<string>();
Object.assign(globalThis, { partAsked: (part: string) => asked.add(part) });

/** Instruments every `import()` of our own code to record what it loads. */
function noteParts(): Plugin {
  return {
    name: 'note-parts',
    enforce: 'pre',
    async transform(code, id) {
      if (!id.startsWith(join(web, 'src'))) return undefined;
      const found = [...code.matchAll(/\bimport\('([^']+)'\)/g)];
      let noted = code;
      for (const [whole, part = ''] of found) {
        const resolved = await this.resolve(part, id);
        if (resolved)
          noted = noted.replace(whole, `(partAsked(${JSON.stringify(relative(web, resolved.id))}), ${whole})`);
      }
      return found.length > 0 ? { code: noted, map: null } : undefined;
    },
  };
}

type Chunk = { file: string; name?: string; isEntry?: boolean; imports?: string[] };
const manifest = new Map<string, Chunk>(
  Object.entries(JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))),
);

function filesOf(part: string, found = new Set<string>()): Set<string> {
  // A grouped chunk is listed in the manifest under its group's name only.
  const group = [...firstPageEntries].find(([, source]) => `src/${source}` === part)?.[0];
  const grouped = [...manifest.values()].find(({ name }) => group !== undefined && name === group);
  const { file, imports = [] } = manifest.get(part) ?? grouped ?? { file: '' };
  if (file === '' || found.has(file)) return found;
  found.add(file);
  for (const imported of imports) filesOf(imported, found);
  return found;
}

/** Placeholder user; the server fills in the real one (`server/src/http/static/pages.ts`). */
const person = (role: User['role'], name: string | null): User => ({
  id: 0,
  email: '{{email}}',
  name,
  role,
  status: 'Active',
  hasPassword: true,
  emailVerified: true,
  createdAt: '2026-01-01T00:00:00.000Z',
});
const kinds = (['Admin', 'Editor', 'Viewer'] as const).flatMap((role) => [
  { kind: `${role} named`, user: person(role, '{{first}} {{rest}}') },
  { kind: `${role}`, user: person(role, null) },
]);

/** Only what does not depend on the configuration: the rest is added once the server has said it. */
const unclaimed: SignInOptions = {
  registration: 'open',
  setupCodeRequired: false,
  hasAccounts: false,
  google: false,
  github: false,
  passwordLogin: true,
  mail: true,
  provider: { name: 'OpenAI', isOpenAi: true },
};

const forVisitors = /^\/(auth|request-reset-password|reset-password|login-link|confirm-email|invitation)$/;
const forBoth = /^\/(terms|privacy)$/;
/** Placeholder for an id in a path; the server replaces it. */
const anyId = '4000000001';

type Shells = Record<string, { scripts: string[]; byKind: Record<string, Shell>; needsAllStyles: boolean }>;

/** The form of the first account of an installation, which the server sends to visitors until there is one. */
const newInstallation = '/auth?first';

/** Pages that are sent with only the styles they need; all others get the full style sheet. */
const firstPages = ['/auth', '/', '/chat', '/chat/:threadId'];

/**
 * Splits the built style sheet into what the first pages need and the rest. The rest keeps the file name that scripts
 * refer to.
 */
function partStyles(index: string, shells: Shells): { index: string; later: string } {
  const [link = '', file = ''] = /<link rel="stylesheet"[^>]* href="\/([^"]+)">/.exec(index) ?? [];
  const assets = join(dist, 'assets');
  const scripts = readdirSync(assets).filter((name) => firstFile.test(name));
  const texts = scripts.map((name) => readFileSync(join(assets, name), 'utf8'));
  const html = firstPages.flatMap((page) => Object.values(shells[page]?.byKind ?? {}).map((shell) => shell.html));
  const styles = splitStyles(readFileSync(join(dist, file), 'utf8'), [...texts, ...html].join('\n'));
  const name = `assets/first-${createHash('sha256').update(styles.first).digest('base64url').slice(0, 8)}.css`;
  writeFileSync(join(dist, name), styles.first);
  writeFileSync(join(dist, file), styles.later);
  return { index: index.replace(file, name), later: link };
}

async function main() {
  Object.assign(globalThis, {
    matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
    addEventListener: () => undefined,
  });
  await build({
    configFile: false,
    root: web,
    logLevel: 'warn',
    plugins: [noteParts(), contractCalls(), react()],
    build: {
      ssr: 'src/prerender.tsx',
      outDir: built,
      emptyOutDir: true,
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const entry = pathToFileURL(join(built, 'prerender.js')).href;
  const index = readFileSync(join(dist, 'index.html'), 'utf8');
  // Already named in the page.
  const entryFiles = new Set(
    [...index.matchAll(/<script type="module"[^>]* src="\/([^"]+)"/g)].map(([, file]) => file),
  );
  const shells: Shells = {};
  for (const page of [...pages, '/auth?tab=register', newInstallation]) {
    // A fresh module instance per page: modules that an earlier page loaded would not be requested again.
    const {
      renderShell,
    }: { renderShell: (path: string, user: User | null, options?: SignInOptions) => Promise<Shell> } = await import(
      `${entry}?${encodeURIComponent(page)}`
    );
    asked.clear();
    const path = page.replaceAll(/:\w+/g, anyId);
    const byKind: Record<string, Shell> = {};
    const isFor = forVisitors.test(page.split('?')[0] ?? '') ? [] : kinds;
    for (const { kind, user } of isFor) byKind[kind] = await renderShell(path, user);
    if (isFor.length === 0 || forBoth.test(page))
      byKind.visitor = await renderShell(path, null, page === newInstallation ? unclaimed : undefined);
    const scripts = [...asked].flatMap((part) => [...filesOf(part)]).filter((file) => !entryFiles.has(file));
    const needsAllStyles = !firstPages.includes(page);
    shells[page] = { scripts: [...new Set(scripts)].map((file) => `/${file}`), byKind, needsAllStyles };
  }
  const styles = partStyles(index, shells);
  writeFileSync(
    join(dist, 'index.html'),
    styles.index.replace('</head>', () => `${styles.later}</head>`),
  );
  mkdirSync(join(dist, '.pages'));
  const written = Object.entries(shells).map(([page, own], number) => {
    const file = `.pages/${number}.json`;
    writeFileSync(join(dist, file), JSON.stringify(own));
    return [page, { file, isForVisitors: own.byKind.visitor !== undefined }] as const;
  });
  writeFileSync(
    join(dist, '.pages.json'),
    JSON.stringify({ anyId, index: styles.index, laterStyles: styles.later, pages: Object.fromEntries(written) }),
  );
  rmSync(built, { recursive: true });
}

await main();
