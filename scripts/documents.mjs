// Checks that what documents and comments name is there: files and folders, links, headings, npm commands, decisions.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { root } from './install.mjs';

const passedOver = new Set(['node_modules', 'dist', 'test-results', '.git', '.cache']);
const isDocument = (path) => path.endsWith('.md');
const isSource = (path) => /\.(?:ts|tsx|mjs|css)$/.test(path);
/** Released migrations stay as they are; the simulator's answers are no documents; this file names what is not there. */
const isLookedAt = (path) =>
  (isDocument(path) || isSource(path)) &&
  !/^server\/src\/db\/migrations\/|^simulator\/src\/.*\.md$|^scripts\/documents\.mjs$/.test(path);
/** What is written of files: a name that ends as sources and documents do, or a folder with its slash. */
const inBackticks = /`((?:[\w@.-]+\/)*[\w@.-]+\.(?:ts|tsx|mjs|md|css)|(?:[\w@.-]+\/){2,})`/g;
const inComment = /(?:[\w@.-]+\/)+[\w@.-]+\.(?:ts|tsx|mjs|md)(?!\w|\.\w)/g;
const link = /\]\(([^)\s]+)\)/g;
const npmRun = /npm run ([\w-]+)/g;

function filesBelow(folder, found = []) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (passedOver.has(entry.name) || (folder === root && entry.name === 'data')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) filesBelow(path, found);
    else found.push(relative(root, path).replaceAll('\\', '/'));
  }
  return found;
}

const headingsOf = (text) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );

/** Comments with their lines put together, each with the number of its first line. */
function commentsOf(text) {
  const comments = [];
  for (const match of text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|[\s;{}(,])\/\/[^\n]*/g))
    comments.push({ text: match[0].replace(/\n\s*\*/g, '\n'), line: text.slice(0, match.index).split('\n').length });
  return comments;
}

/** A document in pieces in which a bare name may stand for a file beside one that is named in full: its paragraphs and rows. */
const blocksOf = (text) => {
  const blocks = [];
  let line = 1;
  for (const part of text.split(/(\n(?=\||- |\d+\. )|\n{2,})/)) {
    if (part.trim()) blocks.push({ text: part, line });
    line += part.split('\n').length - 1;
  }
  return blocks;
};

/** The files of a tree, as names in documents are looked up in it: by their whole path or its end. */
function lookUp(files) {
  const folders = new Set(
    files.flatMap((path) => path.split('/').map((_, end, names) => names.slice(0, end).join('/'))),
  );
  const all = [...files, ...[...folders].filter(Boolean).map((folder) => `${folder}/`)];
  const found = (name) => all.filter((path) => path === name || path.endsWith(`/${name}`));
  return {
    has: (name) => found(name).length > 0,
    /** A bare name is that of a file beside another one that is named, or of the only file that is called so. */
    hasBare(name, neighbours) {
      const places = found(name).map((path) => posix.dirname(path));
      if (places.length < 2) return places.length === 1;
      const near = neighbours.flatMap(found).map((path) => posix.dirname(path.replace(/\/$/, '/x')));
      return places.some((place) => place === '.' || near.includes(place));
    },
  };
}

/** Files that a comment names by a path. */
const missingInComment = ({ text }, { tree }) =>
  [...text.matchAll(inComment)]
    .map(([name]) => name)
    .filter((name) => !name.startsWith('@') && !tree.has(name.replace(/^(?:\.\.?\/)+/, '')))
    .map((name) => `names ${name}, which is not there`);

function missingFiles({ text }, { tree }) {
  const names = [...text.matchAll(inBackticks)].map(([, name = '']) => name);
  const isThere = (name) => {
    if (name.slice(0, -1).includes('/')) return tree.has(name);
    const neighbours = names.filter((other) => other !== name);
    return tree.hasBare(name, neighbours);
  };
  return names.filter((name) => !isThere(name)).map((name) => `names ${name}, which is not there`);
}

const missingLinks = ({ text }, { read }, path) =>
  [...text.matchAll(link)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [file, heading] = target.split('#');
    const content = read(file ? posix.join(posix.dirname(path), file) : path);
    if (content === undefined) return [`links to ${target}, which is not there`];
    return heading && !headingsOf(content).includes(heading) ? [`links to ${target}, a heading that is not there`] : [];
  });

const missingScripts = ({ text }, { scripts }) =>
  [...text.matchAll(npmRun)]
    .filter(([, name]) => !scripts.has(name))
    .map(([command]) => `names ${command}, which is no script`);

const decisions = 'docs/decisions/';

const decisionHead =
  /^# (\d{4}) (.+)\n\n\d{4}-\d\d-\d\d, (?:accepted|superseded by \[(\d{4})\]\((\d{4}-[\w-]+\.md)\))\n/;

/**
 * A record has its number as its name does, a date and a status, and a line in the list. One that a later record
 * supersedes says so there and in the list, and the later one names it.
 */
function wrongDecision(path, text, { read }) {
  if (!path.startsWith(decisions) || path === `${decisions}README.md`) return [];
  const name = path.slice(decisions.length);
  const [, number, title, later, laterName] = decisionHead.exec(text) ?? [];
  if (!number || !name.startsWith(`${number}-`))
    return [`${path}:1 does not begin with its number and title, then a line with date and status`];
  const wrong = [];
  const line = `\n- [${number}](${name}) ${title}${later ? ` (superseded by ${later})` : ''}\n`;
  if (!read(`${decisions}README.md`)?.includes(line))
    wrong.push(`${path}:1 is not in the list of decisions by its number, title and status`);
  if (later && !read(`${decisions}${laterName}`)?.includes(`(${name})`))
    wrong.push(`${path}:3 is superseded by ${later}, which does not name it`);
  return wrong;
}

/** The list names each record once, in the order of the numbers. */
function wrongList(path, text) {
  if (path !== `${decisions}README.md`) return [];
  const numbers = [...text.matchAll(/^- \[(\d{4})\]/gm)].map(([, number]) => number);
  const wrong = numbers.findIndex((number, at) => at > 0 && number <= numbers[at - 1]);
  return wrong < 0 ? [] : [`${path}:1 has ${numbers[wrong]} twice or out of order`];
}

function violationsIn(path, text, tree) {
  const [parts, checks] = isDocument(path)
    ? [blocksOf(text), [missingFiles, missingLinks, missingScripts]]
    : [commentsOf(text), [missingInComment]];
  const violations = parts.flatMap((part) =>
    checks.flatMap((check) => check(part, tree, path).map((what) => `${path}:${part.line} ${what}`)),
  );
  return [...violations, ...wrongDecision(path, text, tree), ...wrongList(path, text)];
}

const files = filesBelow(root);
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const read = (path) => {
  const full = join(root, path);
  if (!existsSync(full)) return undefined;
  return isDocument(path) ? readFileSync(full, 'utf8') : '';
};
const repository = { tree: lookUp(files), scripts: new Set(Object.keys(scripts)), read };

const small = {
  tree: lookUp([
    'server/src/app.ts',
    'server/src/chat/runs.ts',
    'server/src/chat/routes.ts',
    'server/src/auth/routes.ts',
  ]),
  scripts: new Set(['dev']),
  read: (path) =>
    ({
      'docs/a.md': '# One\n\n## Two words\n',
      'docs/decisions/README.md':
        '\n- [0101](0101-one.md) One\n- [0103](0103-old.md) Old (superseded by 0104)\n- [0106](0106-odd.md) Odd (superseded by 0105)\n',
      'docs/decisions/0104-new.md': '# 0104 New\n\nIt supersedes [0103](0103-old.md).\n',
      'docs/decisions/0105-other.md': '# 0105 Other\n',
    })[path],
};
const superseded = (title, by) => `# ${title}\n\n2026-11-22, superseded by ${by}\n`;
const planted = [
  ['docs/b.md', 'See `server/src/gone.ts`.'],
  ['docs/b.md', 'See `chat/gone/`.'],
  ['docs/b.md', 'See `gone.ts`.'],
  ['docs/b.md', 'See `chat/runs.ts`.\n\nAnd `routes.ts`.'],
  ['docs/b.md', '[a](gone.md)'],
  ['docs/b.md', '[a](a.md#three)'],
  ['docs/b.md', 'Run `npm run gone`.'],
  ['docs/decisions/0101-one.md', '# 0101 One\n\nFor good reasons.\n'],
  ['docs/decisions/0102-one.md', '# 0101 One\n\n2026-11-22, accepted\n'],
  ['docs/decisions/0102-two.md', '# 0102 Two\n\n2026-11-22, accepted\n'],
  ['docs/decisions/0103-old.md', '# 0103 Old\n\n2026-11-22, accepted\n'],
  ['docs/decisions/0106-odd.md', superseded('0106 Odd', '[0105](0105-other.md)')],
  ['docs/decisions/0101-one.md', superseded('0101 One', '[0104](0104-new.md)')],
  ['docs/decisions/README.md', '\n- [0102](https://a.example) Two\n- [0101](https://a.example) One\n'],
  ['server/src/a.ts', 'const a = 1; // see chat/gone.ts'],
  ['server/src/a.ts', '/**\n * As in docs/gone.md.\n */'],
];
const harmless = [
  [
    'docs/b.md',
    'See `chat/runs.ts`, `routes.ts`, `src/chat/` and `app.ts`; [a](a.md#two-words), [b](https://example.com).',
  ],
  ['docs/decisions/0101-one.md', '# 0101 One\n\n2026-11-22, accepted\n'],
  ['docs/decisions/0103-old.md', superseded('0103 Old', '[0104](0104-new.md)')],
  ['docs/b.md', '`npm start`, `npm run dev`, `npm test`'],
  ['server/src/a.ts', "import './gone.ts'; // in chat/runs.ts"],
];
const failures = [];
for (const [path, text] of planted)
  if (violationsIn(path, text, small).length === 0) failures.push(`A planted violation was not found: ${text}`);
for (const [path, text] of harmless)
  for (const violation of violationsIn(path, text, small)) failures.push(`Found where nothing is wrong: ${violation}`);

const looked = files.filter(isLookedAt);
for (const path of looked) failures.push(...violationsIn(path, readFileSync(join(root, path), 'utf8'), repository));
if (looked.length < 200) failures.push(`Only ${looked.length} files were looked at`);

for (const failure of failures) console.error(failure);
console.log(`${looked.length} files, ${planted.length} planted violations, ${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
