import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, minifySync, type Plugin } from 'vite';
import { contractCalls } from './contract-calls.ts';
import { diagramFrame } from './diagram-frame.ts';
import { deferFullStyleSheet, firstPageChunks, messagesWithoutForms, schemaChunk, sharedChunk } from './first-pages.ts';

/**
 * Every page needs the text font for its first paint; without a preload the browser discovers it only through the CSS.
 */
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

/** Vite copies public files as they are; every page waits for this one, so it is minified here. */
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

export default defineConfig({
  root: import.meta.dirname,
  // Tailwind's own optimizer targets browsers without :dir() and expands it to lists of languages, so CSS is minified
  // below.
  plugins: [
    contractCalls(),
    react(),
    tailwindcss({ optimize: false }),
    deferFullStyleSheet(),
    messagesWithoutForms(),
    preloadTextFont(),
    minifiedFirstScript(),
    diagramFrame(),
  ],
  resolve: {
    alias: {
      // The router's store still asks for the stand-in for React before 18, half a kilobyte on every page.
      'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector',
    },
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    // Bundled code is redistributed, so its licenses are included.
    license: true,
    sourcemap: false,
    target: 'es2023',
    // First versions that support :dir().
    cssTarget: ['chrome120', 'firefox128', 'safari16.4'],
    // The content security policy allows fonts from our origin only, not data: URLs.
    assetsInlineLimit: 0,
    // The server lists the scripts of each page; Vite's lists beside every `import()` would add a kilobyte to each.
    modulePreload: false,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Libraries of every page; changes only when they are updated.
            {
              name: 'foundation',
              test: /node_modules[\\/](react|react-dom|scheduler|use-sync-external-store|@tanstack)[\\/](?!.*(useInfinite|infiniteQueryObserver|useBlocker))|preload-helper|rolldown[\\/]runtime|lucide-react[\\/](?!.*icons[\\/])/,
              priority: 4,
            },
            { name: 'forms', test: /node_modules[\\/]react-hook-form/, priority: 4 },
            {
              name: schemaChunk,
              debugName: 'schemas',
              test: /node_modules[\\/](zod|@hookform)[\\/]|contracts[\\/]src[\\/]/,
              priority: 3,
              includeDependenciesRecursively: false,
            },
            { name: 'radix', test: /node_modules[\\/]@?radix-ui/, priority: 3, minShareCount: 2 },
            {
              name: fileOfFirstPages,
              debugName: 'first pages',
              test: /web[\\/]src[\\/]|contract-calls|contracts[\\/]src[\\/]|lucide-react/,
              priority: 2,
              includeDependenciesRecursively: false,
            },
            // Two dozen files of a few hundred bytes compress badly.
            {
              name: sharedChunk('chat-later', 'chat-form-parts'),
              debugName: 'shared in chat',
              test: /web[\\/]src[\\/]features[\\/]chat[\\/]/,
              minShareCount: 2,
              priority: 1,
              includeDependenciesRecursively: false,
            },
            {
              name: 'calls',
              test: /contract-calls/,
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
              name: sharedChunk('more', 'form-parts'),
              debugName: 'shared by pages',
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
  // Used in a worker, which Vite's scan misses; discovered later, it would reload the page.
  optimizeDeps: { include: ['@cfworker/json-schema'] },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': server, '/auth/google': server, '/auth/github': server, '/tool-servers/oauth': server },
  },
});
