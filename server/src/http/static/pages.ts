import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { User } from '@roster/contracts/auth';

type Shell = { title: string; html: string; calls: string[] };

type PageShells = { scripts: string[]; byKind: Record<string, Shell>; needsAllStyles: boolean };

/** What `web/prerender.ts` has written. */
type Built = {
  /** Stands for an id in the addresses of calls. */
  anyId: string;
  index: string;
  /** The link to the styles that the first pages do without until they can be used. */
  laterStyles: string;
  /** By the page's address, where its shells are. */
  pages: Record<string, { file: string; isForVisitors: boolean }>;
};

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (mark) => marks[mark] ?? mark);

/** A person's own words where the shell leaves room for them. */
function filled(text: string, { name, email }: Pick<User, 'name' | 'email'>): string {
  const [first = ''] = (name ?? '').split(' ');
  const values = new Map([
    ['{{first}} {{rest}}', name ?? ''],
    ['{{first}}', first],
    ['{{email}}', email],
  ]);
  return text.replaceAll(/\{\{first\}\} \{\{rest\}\}|\{\{\w+\}\}/g, (place) => escaped(values.get(place) ?? ''));
}

const noShell: PageShells = { scripts: [], byKind: {}, needsAllStyles: true };

const preloadCall = (address: string) => `<link rel="preload" as="fetch" crossorigin href="${escaped(address)}">`;
const preloadScript = (file: string) => `<link rel="modulepreload" crossorigin href="${file}">`;

export type Page = {
  /** Its address with names for what changes, as the contract of the pages has it. */
  route: string;
  /** The id in the address, if it is one. */
  id: string | undefined;
  /** What stands after the question mark. */
  search: string;
};

/**
 * The text of every page: the shell of its address for the user who opens it, painted before any script, and what its
 * application will ask for, so that the browser fetches that beside the scripts. undefined where nothing is built.
 */
export function createPages(folder: string) {
  const file = join(folder, '.pages.json');
  if (!existsSync(file)) return undefined;
  const { anyId, index, laterStyles, pages }: Built = JSON.parse(readFileSync(file, 'utf8'));

  const read = new Map<string, PageShells>();
  /** Read when a page is opened for the first time: all of them together take 5 MB of an idle server. */
  function shellsOf(route: string): PageShells | undefined {
    const built = pages[route];
    const known = read.get(route);
    if (known || !built) return known;
    const shells: PageShells = JSON.parse(readFileSync(join(folder, built.file), 'utf8'));
    read.set(route, shells);
    return shells;
  }

  /** Where the application will lead from here: visitors sign in first; a signed-in user does not see that page. */
  function shownAt({ route, search }: Page, user: User | null): string {
    if (!pages[route]?.isForVisitors) return user ? route : '/auth';
    if (route !== '/auth' || !user) return search === '?tab=register' ? `${route}${search}` : route;
    return '/';
  }

  const bare = index.replace('</head>', () => `${laterStyles}</head>`);

  function compose(shell: Shell, scripts: readonly string[], page: Page, isOwn: boolean, styles: string): string {
    // What a search or a tab in the address changes is not known here; the person is the same.
    const calls = isOwn ? shell.calls : shell.calls.filter((call) => /^\/api\/(user|sign-in-options)$/.test(call));
    const links = [
      styles,
      ...scripts.map(preloadScript),
      ...calls.map((call) => preloadCall(call.replaceAll(anyId, page.id ?? '0'))),
    ];
    return index
      .replace(/<title>.*?<\/title>/, () => `<title>${shell.title}</title>`)
      .replace('</head>', () => `${links.join('')}</head>`)
      .replace('<div id="root"></div>', () => `<div id="root">${shell.html.replaceAll(anyId, page.id ?? '0')}</div>`);
  }

  return {
    /** Without a shell, for an address that is no page or while it cannot be known who is there. */
    bare,
    of(page: Page, user: User | null): string {
      const shown = shownAt(page, user);
      const { scripts, byKind, needsAllStyles } = shellsOf(shown) ?? shellsOf(page.route) ?? noShell;
      const kind = user ? `${user.role}${user.name === null ? '' : ' named'}` : 'visitor';
      const shell = byKind[kind] ?? byKind.visitor;
      if (!shell) return bare;
      const isOwn = shown === `${page.route}${page.search}`;
      const call = user ? { ...shell, calls: ['/api/user', ...shell.calls] } : shell;
      const text = compose(call, scripts, page, isOwn, needsAllStyles ? laterStyles : '');
      return user ? filled(text, user) : text.replace('<html lang="en"', '<html lang="en" data-visitor');
    },
  };
}
