import type { Plugin } from 'vite';

const icon = /lucide-react[\\/].*[\\/]icons[\\/][\w-]+\.m?js$/;

/**
 * Numbers the React keys in icons, which are random letters and therefore do not compress, and drops the icons' other
 * names. The first pages have about thirty icons.
 */
export function shortIconKeys(): Plugin {
  return {
    name: 'short-icon-keys',
    apply: 'build',
    transform(code, id) {
      if (!icon.test(id)) return undefined;
      let key = 0;
      const numbered = code
        .replaceAll(/\bkey: "\w+"/g, () => `key: ${key++}`)
        .replace(/,\s*aliases: \[[^\]]*\]/, '')
        .replace('__iconData.node;', '');
      return { code: numbered, map: null };
    },
  };
}
