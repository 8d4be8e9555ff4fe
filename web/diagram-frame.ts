import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, transformWithOxc } from 'vite';

const library = fileURLToPath(import.meta.resolve('mermaid/dist/mermaid.min.js'));
const script = join(import.meta.dirname, 'src/ui/markdown/diagrams/frame.ts');

/** Must match the policy that the server sends (`server/src/http/static/web-files.ts`). */
const policy =
  "sandbox allow-scripts; default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

type File = { name: string; type: string; text: string };

/**
 * Files of the page that draws diagrams, in a folder of their own. Mermaid is bundled as one classic script: a page
 * with an opaque origin cannot load modules.
 */
async function filesOfFrame(): Promise<File[]> {
  const drawing = await transformWithOxc(readFileSync(script, 'utf8'), script, { sourcemap: false });
  const scripts = [
    ['mermaid', readFileSync(library, 'utf8')],
    ['draw', drawing.code],
  ].map(([name = '', text = '']) => {
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8);
    return { name: `frame/${name}-${hash}.js`, type: 'text/javascript', text };
  });
  const tags = scripts.map(({ name }) => `<script src="/${name}"></script>`).join('');
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Diagrams</title><body>${tags}`;
  return [{ name: 'frame/diagrams.html', type: 'text/html; charset=utf-8', text: page }, ...scripts];
}

type Package = { name: string; version: string; license?: string; dependencies?: Record<string, string> };

/** Finds an installed package by Node's rule: the nearest node_modules at or above `from`. */
function folderOf(name: string, from: string): string | undefined {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
  }
  return undefined;
}

/** Mermaid's bundle contains its dependencies, so their licenses are shipped with it. */
function licenses(): string {
  const found = new Map<string, string>();
  const look = (folder: string) => {
    const {
      name,
      version,
      license,
      dependencies = {},
    }: Package = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const title = `## ${name} - ${version} (${license ?? 'see its text'})`;
    if (found.has(title)) return;
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    found.set(title, file ? readFileSync(join(folder, file), 'utf8').trim() : '');
    for (const each of Object.keys(dependencies)) {
      const next = each.startsWith('@types/') ? undefined : folderOf(each, folder);
      if (next) look(next);
    }
  };
  look(join(dirname(library), '..'));
  return [...found].map(([title, text]) => `\n${title}\n\n${text}\n`).join('');
}

/** Vite plugin that serves the page in development and adds it to the build. */
export function diagramFrame(): Plugin {
  let files: Promise<File[]> | undefined;
  let folder = '';
  return {
    name: 'diagram-frame',
    configResolved({ root, build }) {
      folder = join(root, build.outDir);
    },
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const path = request.url?.split('?', 1)[0]?.slice(1) ?? '';
        if (!path.startsWith('frame/')) return next();
        files ??= filesOfFrame();
        void files.then((all) => {
          const file = all.find(({ name }) => name === path);
          if (!file) return next();
          response.setHeader('content-type', file.type);
          response.setHeader('content-security-policy', policy);
          response.setHeader('cross-origin-resource-policy', 'cross-origin');
          response.end(file.text);
        }, next);
      });
    },
    async generateBundle() {
      files ??= filesOfFrame();
      for (const { name, text } of await files) this.emitFile({ type: 'asset', fileName: name, source: text });
    },
    closeBundle() {
      const file = join(folder, '.vite/license.md');
      if (existsSync(file)) appendFileSync(file, licenses());
    },
  };
}
