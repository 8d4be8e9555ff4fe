import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';

const folder = join(import.meta.dirname, '../contracts/src');
const prefix = '@roster/contracts/';
const mark = '\0contract-calls:';

type Call = { method: string; path: string };
const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'output' in value;

/** Plain objects and arrays of text or numbers, such as defaults. */
const isPlain = (value: object): boolean =>
  Object.getPrototypeOf(value) === Object.prototype &&
  Object.values(value).every((item) => item === null || ['string', 'number', 'boolean'].includes(typeof item));

/** Source text of a plain value; undefined for schemas and functions. */
function asSource(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return JSON.stringify(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (isPlain(value)) return JSON.stringify(value);
  const calls = Object.entries(value);
  if (calls.length === 0 || !calls.every(([, call]) => isCall(call))) return undefined;
  return JSON.stringify(Object.fromEntries(calls.map(([name, { method, path }]) => [name, { method, path }])));
}

/**
 * Source of the module that replaces a contract file: calls and plain values inlined, everything else imported from the
 * original.
 */
function replacementModule(contract: Record<string, unknown>, file: string): string {
  const lines = Object.entries(contract).map(([name, value]) => {
    const source = asSource(value);
    return source === undefined
      ? `export { ${name} } from ${JSON.stringify(file)};`
      : `export const ${name} = ${source};`;
  });
  return lines.join('\n');
}

/**
 * Lets the browser make calls without loading the schemas that describe them. An endpoint holds its Zod schemas, so
 * every page would start with Zod and all contracts (30 kB gzipped of the 150 kB budget for a first load). The build
 * inlines method and path; a schema imported by name, as forms do, still comes from the contract. Types and development
 * are unaffected.
 */
export function contractCalls(): Plugin {
  const names = new Set(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => file.slice(0, -3)),
  );
  return {
    name: 'contract-calls',
    apply: 'build',
    enforce: 'pre',
    resolveId(source) {
      const name = source.startsWith(prefix) ? source.slice(prefix.length) : undefined;
      return name && names.has(name) ? { id: mark + name, moduleSideEffects: false } : undefined;
    },
    async load(id) {
      if (!id.startsWith(mark)) return undefined;
      const file = join(folder, `${id.slice(mark.length)}.ts`);
      this.addWatchFile(file);
      return { code: replacementModule(await import(pathToFileURL(file).href), file), moduleSideEffects: false };
    },
    transform(code, id) {
      // No side effects: lets the bundler drop a contract whose schemas nobody imports.
      return id.startsWith(folder) ? { code, map: null, moduleSideEffects: false } : undefined;
    },
  };
}
