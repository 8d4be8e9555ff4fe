import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { contractCalls } from './contract-calls.ts';

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

const server = 'http://127.0.0.1:3000';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [contractCalls(), react(), tailwindcss(), preloadTextFont()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    sourcemap: false,
    target: 'es2023',
    // The content security policy allows fonts from our own origin only, not as data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What sixteen parts and more have in common is one file: two dozen files of some hundred bytes compress badly.
          groups: [
            {
              name: 'kit',
              test: /node_modules[\\/]lucide-react|web[\\/]src[\\/](ui|lib|data)[\\/]/,
              minShareCount: 16,
            },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': server, '/auth/google': server, '/auth/github': server },
  },
});
