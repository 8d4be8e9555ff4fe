import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const source = join(import.meta.dirname, 'src');

/** What the pages that are opened first are made of; each part is loaded when its page is. */
const parts = new Map([
  ['entry', 'main.tsx'],
  ['shell', 'app/shell.tsx'],
  ['home', 'features/home/home-page.tsx'],
  ['auth', 'app/auth-route.tsx'],
  ['chat', 'app/chat-route.tsx'],
  ['thread', 'features/chat/thread-pane.tsx'],
]);

type Modules = { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null };

function reachable(from: string, modules: Modules, found = new Set<string>()): Set<string> {
  if (found.has(from)) return found;
  found.add(from);
  for (const id of modules.getModuleInfo(from)?.importedIds ?? []) {
    // The package names all its icons in one file, so that each of them would count as needed.
    if (id.includes('lucide-react')) for (const icon of iconsOf(from, id)) found.add(icon);
    else reachable(id, modules, found);
  }
  return found;
}

/** The files of the icons that a file of ours imports; many have several names. */
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
 * Says which file of the build a module belongs to, if one of the first pages needs it: its page's own, or the one of
 * what several need. A file for each module that two pages share would be dozens, of some hundred bytes, and a page is
 * not there before the last of them. Parts that other pages take as well are kept apart from what is the page's alone.
 */
export function filesOfFirstPages() {
  let sets: Map<string, Set<string>> | undefined;
  return (id: string, modules: Modules): string | null => {
    sets ??= new Map([...parts].map(([name, part]) => [name, reachable(join(source, part), modules)]));
    const icon = iconName(id);
    const names = [...sets].filter(([, set]) => set.has(icon ?? id)).map(([name]) => name);
    const [name] = names;
    if (name === undefined) return null;
    const isChat = names.every((each) => each === 'chat' || each === 'thread');
    if (name === 'entry' || (names.length > 1 && !isChat)) return 'kit';
    return icon || /[\\/]src[\\/](ui|lib|data)[\\/]|contract-calls/.test(id) ? `${name}-parts` : name;
  };
}
