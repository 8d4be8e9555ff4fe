import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { User } from '@roster/contracts/auth';

type Shell = { title: string; html: string; calls: string[] };

type PageShells = { scripts: string[]; byKind: Record<string, Shell>; needsAllStyles: boolean };

/** The output of `web/prerender.ts`. */
type Built = {
  /** Placeholder for an id in the URLs of calls. */
  anyId: string;
  index: string;
  /** Link to the styles that the first pages load after they are usable. */
  laterStyles: string;
  /** Pages by path, with their shells. */
  pages: Record<string, { file: string; isForVisitors: boolean }>;
};

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (mark) => marks[mark] ?? mark);

/** Fills in the user's name and email address where the shell has placeholders. */
function fillPlaceholders(text: string, { name, email }: Pick<User, 'name' | 'email'>): string {
  const [first = ''] = (name ?? '').split(' ');
  const values = new Map([
    ['{{first}} {{rest}}', name ?? ''],
    ['{{first}}', first],
    ['{{email}}', email],
  ]);
  return text.replaceAll(/\{\{first\}\} \{\{rest\}\}|\{\{\w+\}\}/g, (place) => escapeHtml(values.get(place) ?? ''));
}

const noShell: PageShells = { scripts: [], byKind: {}, needsAllStyles: true };

/** Its shell is a page of its own: the form of the first account. */
const newInstallation = '/auth?first';

const preloadCall = (address: string) => `<link rel="preload" as="fetch" crossorigin href="${escapeHtml(address)}">`;
const preloadScript = (file: string) => `<link rel="modulepreload" crossorigin href="${file}">`;

type Page = {
  /** The path with parameter names, as in the contract of the pages. */
  route: string;
  /** The id in the path, if it is valid. */
  id: string | undefined;
  /** The query string. */
  search: string;
};

/**
 * Serves the HTML of every page: the prerendered shell for the user who opens it, and preloads of the calls that the
 * application will make. undefined if the web application is not built.
 */
export function createPages(folder: string) {
  const file = join(folder, '.pages.json');
  if (!existsSync(file)) return undefined;
  const { anyId, index, laterStyles, pages }: Built = JSON.parse(readFileSync(file, 'utf8'));

  const read = new Map<string, PageShells>();
  /** Read when a page is first opened: all of them would take 5 MB in an idle server. */
  function shellsOf(route: string): PageShells | undefined {
    const built = pages[route];
    const cached = read.get(route);
    if (cached || !built) return cached;
    const shells: PageShells = JSON.parse(readFileSync(join(folder, built.file), 'utf8'));
    read.set(route, shells);
    return shells;
  }

  /** Predicts the application's redirects: visitors sign in first; signed-in users do not see that page. */
  function shownAt({ route, search }: Page, user: User | null, isNewInstallation: boolean): string {
    const signIn = isNewInstallation ? newInstallation : '/auth';
    if (!pages[route]?.isForVisitors) return user ? route : signIn;
    if (route !== '/auth') return route;
    if (user) return '/';
    if (search === '?tab=register') return isNewInstallation ? signIn : `${route}${search}`;
    return search.startsWith('?tab=login') ? route : signIn;
  }

  const bare = index.replace('</head>', () => `${laterStyles}</head>`);

  function compose(shell: Shell, scripts: readonly string[], page: Page, isOwn: boolean, styles: string): string {
    // Calls may depend on a search or tab in the query, which is not known here; those for the user do not.
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
    /** Without a shell: for an address that is not a page, or while the user cannot be determined. */
    bare,
    /** `isNewInstallation`: the first visitor registers. */
    of(page: Page, user: User | null, isNewInstallation = false): string {
      const shown = shownAt(page, user, isNewInstallation);
      const { scripts, byKind, needsAllStyles } = shellsOf(shown) ?? shellsOf(page.route) ?? noShell;
      const kind = user ? `${user.role}${user.name === null ? '' : ' named'}` : 'visitor';
      const shell = byKind[kind] ?? byKind.visitor;
      if (!shell) return bare;
      const isOwn = shown === `${page.route}${page.search}`;
      const call = user ? { ...shell, calls: ['/api/user', ...shell.calls] } : shell;
      const text = compose(call, scripts, page, isOwn, needsAllStyles ? laterStyles : '');
      return user ? fillPlaceholders(text, user) : text.replace('<html lang="en"', '<html lang="en" data-visitor');
    },
  };
}
