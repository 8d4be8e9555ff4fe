import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const source = join(import.meta.dirname, 'src');

/** Entry module of each page that is often opened first. */
export const firstPageEntries = new Map([
  ['entry', 'main.tsx'],
  ['shell', 'app/shell.tsx'],
  ['home', 'features/home/home-page.tsx'],
  ['auth', 'app/routes/auth-route.tsx'],
  ['chat', 'app/routes/chat-route.tsx'],
  ['thread', 'features/chat/threads/thread-pane.tsx'],
  ['new-thread', 'features/chat/threads/new-thread-pane.tsx'],
]);

type Modules = { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null };

function reachable(from: string, modules: Modules, found = new Set<string>()): Set<string> {
  if (found.has(from)) return found;
  found.add(from);
  for (const id of modules.getModuleInfo(from)?.importedIds ?? []) {
    // lucide-react exports all icons from one file, so following its imports would mark every icon as needed.
    if (id.includes('lucide-react')) for (const icon of iconsOf(from, id)) found.add(icon);
    else reachable(id, modules, found);
  }
  return found;
}

/** Modules of the icons that one of our files imports. Many icons have several names. */
function iconsOf(file: string, iconPackage: string): string[] {
  const [, imported = ''] = /import \{([^}]*)\} from 'lucide-react'/.exec(readFileSync(file, 'utf8')) ?? [];
  const list = readFileSync(iconPackage, 'utf8');
  return imported.split(',').flatMap((item) => {
    const [name = ''] = item.trim().split(' ');
    const from = new RegExp(`\\bas ${name}\\b[^\\n]* from './icons/([\\w-]+)`).exec(list)?.[1];
    return name === '' || from === undefined ? [] : [from];
  });
}

const iconName = (id: string) => /lucide-react[\\/].*[\\/]icons[\\/]([\w-]+)\.m?js$/.exec(id)?.[1];

/**
 * Returns a function that assigns modules needed by the first pages to chunks: the page's own, or one shared by several
 * pages. A chunk for every shared module would mean dozens of files of a few hundred bytes, and a page waits for the
 * last of them. Modules that later parts import as well get a chunk of their own.
 */
export function firstPageChunks() {
  let sets: Map<string, Set<string>> | undefined;
  return (id: string, modules: Modules): string | null => {
    sets ??= new Map([...firstPageEntries].map(([name, part]) => [name, reachable(join(source, part), modules)]));
    const icon = iconName(id);
    const names = [...sets].filter(([, set]) => set.has(icon ?? id)).map(([name]) => name);
    const [name] = names;
    if (name === undefined || (/contracts[\\/]src[\\/]/.test(id) && hasSchemas(id, modules))) return null;
    const isChat = names.every((each) => each === 'chat' || each === 'thread' || each === 'new-thread');
    if (name === 'entry' || (names.length > 1 && !isChat)) return 'kit';
    const file = names.length > 1 ? 'chat' : name;
    return icon || /[\\/]src[\\/](ui|lib|api|components)[\\/]|contract-calls/.test(id) ? `${file}-parts` : file;
  };
}

const isSchemaLibrary = (id: string) => /node_modules[\\/](zod|@hookform)[\\/]/.test(id);

/** By contract: whether it has schemas. */
const withSchemas = new Map<string, boolean>();
function hasSchemas(id: string, modules: Modules): boolean {
  const known = withSchemas.get(id);
  if (known !== undefined) return known;
  const found = [...reachable(id, modules)].some(isSchemaLibrary);
  withSchemas.set(id, found);
  return found;
}

/** Contracts without schemas go with the code that needs them: the schemas are a third of the first load. */
export const schemaChunk = (id: string, modules: Modules): string | null =>
  hasSchemas(id, modules) ? 'schemas' : null;

/** Imports of a contract by one of our files. Schemas have names that begin with a capital; calls are inlined. */
const schemaImport = /import \{[^}]*(?<!type )\b[A-Z]\w*[^}]*\} from '@roster\/contracts\//;

/** True if the module needs the libraries of schemas or forms when it runs. */
function needsForms(id: string, modules: Modules, visited = new Set<string>()): boolean {
  if (visited.has(id) || id.includes('contract-calls')) return false;
  visited.add(id);
  if (isSchemaLibrary(id) || id.includes('react-hook-form')) return true;
  if (id.startsWith(source) && schemaImport.test(readFileSync(id, 'utf8'))) return true;
  return (modules.getModuleInfo(id)?.importedIds ?? []).some((each) => needsForms(each, modules, visited));
}

/** For code that several pages share: forms apart, so that text is drawn before their libraries have arrived. */
export const sharedChunk =
  (usual: string, withForms: string) =>
  (id: string, modules: Modules): string =>
    needsForms(id, modules) ? withForms : usual;

/** Includes shared chunks that render nothing themselves. */
const plainFiles = 'rolldown-runtime|foundation|forms|schemas|page-change|kit';
export const firstFile = new RegExp(
  `(^|/)(${plainFiles}|(${[...firstPageEntries.keys()].join('|')})(-parts)?)-[\\w-]{8}\\.js$`,
);
const sheet = /(^|\/)kit-[^/]*\.css$/;

/**
 * First pages get their CSS from a file of their own (`first-styles.ts`). Any other chunk depends on the full style
 * sheet and is not executed before that has loaded.
 */
export function deferFullStyleSheet(): Plugin {
  return {
    name: 'styles-with-later-parts',
    generateBundle: {
      order: 'pre',
      handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        for (const { viteMetadata } of chunks)
          for (const style of viteMetadata?.importedCss ?? [])
            if (sheet.test(style)) viteMetadata?.importedCss.delete(style);
        const style = Object.keys(bundle).find((file) => sheet.test(file));
        if (style === undefined) throw new Error('The build has no style sheet');
        for (const { fileName, viteMetadata } of chunks)
          if (!firstFile.test(fileName)) viteMetadata?.importedCss.add(style);
      },
    },
  };
}

/** Fails the build if the messages of a conversation would wait for the libraries of schemas or forms. */
export function messagesWithoutForms(): Plugin {
  return {
    name: 'messages-without-forms',
    generateBundle(_options, bundle) {
      const chunks = new Map(
        Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])),
      );
      const list = [...chunks.values()].find(({ facadeModuleId: id }) => id?.endsWith('messages/message-list.tsx'));
      if (!list) throw new Error('The build has no list of messages');
      const needed = new Set(list.imports);
      for (const name of needed) for (const other of chunks.get(name)?.imports ?? []) needed.add(other);
      const heavy = [...needed].filter((name) => /(^|\/)(schemas|forms|form-parts)-/.test(name));
      if (heavy.length > 0) throw new Error(`The list of messages imports ${heavy.join(', ')}`);
    },
  };
}
