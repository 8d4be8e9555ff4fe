import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';

const folder = join(import.meta.dirname, '../contracts/src');
const pages = join(import.meta.dirname, 'src');
const prefix = '@roster/contracts/';
const mark = '\0contract-calls:';
/** Between a contract and one of its calls. */
const separator = '?call=';

type Call = { method: string; path: string };
const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'output' in value;

/** Plain objects and arrays of text or numbers, such as defaults. */
const isPlain = (value: object): boolean =>
  Object.getPrototypeOf(value) === Object.prototype &&
  Object.values(value).every((item) => item === null || ['string', 'number', 'boolean'].includes(typeof item));

const isCalls = (value: unknown): value is Record<string, Call> =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0 && Object.values(value).every(isCall);

/** Source text of a plain value; undefined for schemas and functions. */
function asSource(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return JSON.stringify(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (isPlain(value)) return JSON.stringify(value);
  if (!isCalls(value)) return undefined;
  return JSON.stringify(Object.fromEntries(Object.entries(value).map(([name, call]) => [name, toCall(call)])));
}
const toCall = ({ method, path }: Call): Call => ({ method, path });

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

const importOfContract = /import \{([^}]*)\} from '@roster\/contracts\/([^']+)';/g;

/**
 * Gives each call that a file makes a module of its own, so that a page loads the calls it makes and no others.
 * `callsOf` returns the names of an export's calls; undefined: it has none.
 */
function splitCalls(code: string, callsOf: (contract: string, name: string) => readonly string[] | undefined): string {
  let split = code;
  for (const [statement, imported = '', contract = ''] of code.matchAll(importOfContract))
    for (const item of imported.split(',')) {
      const [name = '', local = name] = item.trim().split(' as ');
      const calls = callsOf(contract, name);
      if (!calls) continue;
      for (const call of calls) {
        const made = new RegExp(`(?<![\\w.$'"/])${local}\\.${call}(?![\\w$])`, 'g');
        const variable = `${local}_${call}`;
        const rewritten = split.replace(made, variable);
        if (rewritten === split) continue;
        const source = JSON.stringify(`${prefix}${contract}${separator}${name}.${call}`);
        split = rewritten.replace(statement, `${statement} import ${variable} from ${source};`);
      }
    }
  return split;
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
  const load = (name: string): Promise<Record<string, unknown>> =>
    import(pathToFileURL(join(folder, `${name}.ts`)).href);
  const contracts = new Map<string, Record<string, unknown>>();
  return {
    name: 'contract-calls',
    apply: 'build',
    enforce: 'pre',
    async buildStart() {
      for (const name of names) contracts.set(name, await load(name));
    },
    resolveId(source) {
      const [name = ''] = source.startsWith(prefix) ? source.slice(prefix.length).split(separator) : [];
      return names.has(name) ? { id: mark + source.slice(prefix.length), moduleSideEffects: false } : undefined;
    },
    async load(id) {
      if (!id.startsWith(mark)) return undefined;
      const [name = '', call] = id.slice(mark.length).split(separator);
      const file = join(folder, `${name}.ts`);
      this.addWatchFile(file);
      const contract = await load(name);
      const code = call === undefined ? replacementModule(contract, file) : moduleOfCall(contract, call);
      return { code, moduleSideEffects: false };
    },
    transform(code, id) {
      // No side effects: lets the bundler drop a contract whose schemas nobody imports.
      if (id.startsWith(folder)) return { code, map: null, moduleSideEffects: false };
      if (!id.startsWith(pages) || !code.includes(prefix)) return undefined;
      const split = splitCalls(code, (contract, name) => {
        const value = contracts.get(contract)?.[name];
        return isCalls(value) ? Object.keys(value) : undefined;
      });
      return { code: split, map: null };
    },
  };
}

function moduleOfCall(contract: Record<string, unknown>, path: string): string {
  const [name = '', call = ''] = path.split('.');
  const calls = contract[name];
  const found = isCalls(calls) ? calls[call] : undefined;
  if (!found) throw new Error(`${path} is no call`);
  return `export default ${JSON.stringify(toCall(found))};`;
}
