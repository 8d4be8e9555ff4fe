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

/** A table of texts, numbers and the like, such as defaults. */
const isPlain = (value: object): boolean =>
  Object.getPrototypeOf(value) === Object.prototype &&
  Object.values(value).every((item) => item === null || ['string', 'number', 'boolean'].includes(typeof item));

/** What a plain value looks like as source text; nothing for schemas and functions. */
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

/** The module that stands in for a contract file: its calls and plain values written out, the rest from the file. */
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
 * Lets the browser make a call without loading the schemas that describe it. A call is named by its endpoint, and an
 * endpoint holds its Zod schemas, so every page would begin with Zod and all contracts (30 kB gzipped of the 150 that a
 * first load may have). The build writes out what a call needs, method and path; a schema that is imported by its own
 * name, as forms do, still comes from the contract. Types and development are not touched.
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
      // A contract that nobody takes a schema from is left out.
      return id.startsWith(folder) ? { code, map: null, moduleSideEffects: false } : undefined;
    },
  };
}
