import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, minifySync, type Plugin } from 'vite';
import { contractCalls } from './contract-calls.ts';
import { diagramFrame } from './diagram-frame.ts';
import { deferFullStyleSheet, firstPageChunks } from './first-pages.ts';

/** The text font is needed by the first paint of every page; without this the browser finds it only after the CSS. */
function preloadTextFont(): Plugin {
  return {
    name: 'preload-text-font',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const font = Object.keys(bundle ?? {}).find((file) => /inter-latin-wght-normal-.*\.woff2$/.test(file));
        if (!font) return [];
        const attrs = { rel: 'preload', href: `/${font}`, as: 'font', type: 'font/woff2', crossorigin: true };
        return [{ tag: 'link', attrs, injectTo: 'head' as const }];
      },
    },
  };
}

/** Vite copies what runs before the first paint as it is: every page waits for it, so it is minified here. */
function minifiedFirstScript(): Plugin {
  return {
    name: 'minified-first-script',
    apply: 'build',
    closeBundle() {
      const file = join(import.meta.dirname, 'dist/first.js');
      const { code, errors } = minifySync(file, readFileSync(file, 'utf8'), { module: false });
      if (errors.length > 0) throw new Error(`${file} cannot be minified: ${errors[0]?.message}`);
      writeFileSync(file, code);
    },
  };
}

const fileOfFirstPages = firstPageChunks();
const server = 'http://127.0.0.1:3000';

/** Files of the contracts that only count, cut, name or look at a text: no schemas, and a page needs them earlier. */
const withoutSchemas = 'length|provider-name|cut|blank|find-text';

export default defineConfig({
  root: import.meta.dirname,
  // Optimized once, below: Tailwind's own step is for browsers without :dir() and turns it into a list of languages.
  plugins: [
    contractCalls(),
    react(),
    tailwindcss({ optimize: false }),
    deferFullStyleSheet(),
    preloadTextFont(),
    minifiedFirstScript(),
    diagramFrame(),
  ],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    // What is bundled is given on to others, with its licences.
    license: true,
    sourcemap: false,
    target: 'es2023',
    // The first that know :dir().
    cssTarget: ['chrome120', 'firefox128', 'safari16.4'],
    // The content security policy allows fonts from our own origin only, not as data: addresses.
    assetsInlineLimit: 0,
    // The server names the scripts of an address; a list of files beside every `import()` would be a kilobyte of each page.
    modulePreload: false,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What every page runs on changes only with its libraries.
            {
              name: 'foundation',
              test: /node_modules[\\/](react|react-dom|scheduler|use-sync-external-store|@tanstack)[\\/](?!.*(useInfinite|infiniteQueryObserver|useBlocker))|preload-helper|rolldown[\\/]runtime|lucide-react[\\/](?!.*icons[\\/])/,
              priority: 4,
            },
            { name: 'forms', test: /node_modules[\\/]react-hook-form/, priority: 4 },
            // In neither of these two groups may be what the other has.
            {
              name: 'schemas',
              test: new RegExp(
                String.raw`node_modules[\\/](zod|@hookform)[\\/]|contracts[\\/]src[\\/](?!${withoutSchemas})`,
              ),
              priority: 3,
              includeDependenciesRecursively: false,
            },
            { name: 'radix', test: /node_modules[\\/]@?radix-ui/, priority: 3, minShareCount: 2 },
            {
              name: fileOfFirstPages,
              debugName: 'first pages',
              test: new RegExp(
                String.raw`web[\\/]src[\\/]|contract-calls|contracts[\\/]src[\\/](${withoutSchemas})|lucide-react`,
              ),
              priority: 2,
              includeDependenciesRecursively: false,
            },
            // Two dozen files of some hundred bytes compress badly.
            {
              name: 'chat-later',
              test: /web[\\/]src[\\/]features[\\/]chat[\\/]/,
              minShareCount: 2,
              priority: 1,
              includeDependenciesRecursively: false,
            },
            {
              name: 'icons',
              test: /node_modules[\\/]lucide-react/,
              minShareCount: 3,
              priority: 1,
              includeDependenciesRecursively: false,
            },
            {
              name: 'more',
              test: /web[\\/]src[\\/](ui|lib|api|components)[\\/]/,
              minShareCount: 4,
              priority: 1,
              includeDependenciesRecursively: false,
            },
          ],
        },
      },
    },
  },
  // Of a worker, which is not looked into at the start: found later, it would have the page loaded anew.
  optimizeDeps: { include: ['@cfworker/json-schema'] },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': server, '/auth/google': server, '/auth/github': server, '/tool-servers/oauth': server },
  },
});
