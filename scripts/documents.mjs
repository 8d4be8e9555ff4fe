// Checks that documents and comments name what exists: files and folders, links, headings, npm commands, decisions; and that
// pages are short enough to read.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { root } from './install.mjs';

const ignoredFolders = new Set(['node_modules', 'dist', 'test-results', '.git', '.cache']);
const isDocument = (path) => path.endsWith('.md');
const isSource = (path) => /\.(?:ts|tsx|mjs|css)$/.test(path);
/** Released migrations never change, the simulator's answers are data, and this file names what does not exist. */
const isChecked = (path) =>
  (isDocument(path) || isSource(path)) &&
  !/^server\/src\/db\/migrations\/|^simulator\/src\/.*\.md$|^scripts\/documents\.mjs$/.test(path);
/** A name with the extension of a source or document, or a folder with its slash. */
const inBackticks = /`((?:[\w@.-]+\/)*[\w@.-]+\.(?:ts|tsx|mjs|md|css)|(?:[\w@.-]+\/){2,})`/g;
const inComment = /(?:[\w@.-]+\/)+[\w@.-]+\.(?:ts|tsx|mjs|md)(?!\w|\.\w)/g;
const link = /\]\(([^)\s]+)\)/g;
const npmRun = /npm run ([\w-]+)/g;

function filesBelow(folder, found = []) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (ignoredFolders.has(entry.name) || (folder === root && entry.name === 'data')) continue;
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

/** Comments with their lines joined, each with the number of its first line. */
function commentsOf(text) {
  const comments = [];
  for (const match of text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|[\s;{}(,])\/\/[^\n]*/g))
    comments.push({ text: match[0].replace(/\n\s*\*/g, '\n'), line: text.slice(0, match.index).split('\n').length });
  return comments;
}

/** Paragraphs, list items and table rows. In one of these a bare file name may refer to a file next to one named in full. */
const blocksOf = (text) => {
  const blocks = [];
  let line = 1;
  for (const part of text.split(/(\n(?=\||- |\d+\. )|\n{2,})/)) {
    if (part.trim()) blocks.push({ text: part, line });
    line += part.split('\n').length - 1;
  }
  return blocks;
};

/** Finds files by their whole path or its end. */
function fileTree(files) {
  const folders = new Set(
    files.flatMap((path) => path.split('/').map((_, end, names) => names.slice(0, end).join('/'))),
  );
  const all = [...files, ...[...folders].filter(Boolean).map((folder) => `${folder}/`)];
  const found = (name) => all.filter((path) => path === name || path.endsWith(`/${name}`));
  return {
    has: (name) => found(name).length > 0,
    /** A bare name must be unique, or be in the folder of another file that is named. */
    hasBare(name, neighbours) {
      const places = found(name).map((path) => posix.dirname(path));
      if (places.length < 2) return places.length === 1;
      const near = neighbours.flatMap(found).map((path) => posix.dirname(path.replace(/\/$/, '/x')));
      return places.some((place) => place === '.' || near.includes(place));
    },
  };
}

const missingInComment = ({ text }, { tree }) =>
  [...text.matchAll(inComment)]
    .map(([name]) => name)
    .filter((name) => !name.startsWith('@') && !tree.has(name.replace(/^(?:\.\.?\/)+/, '')))
    .map((name) => `names ${name}, which does not exist`);

function missingFiles({ text }, { tree }) {
  const names = [...text.matchAll(inBackticks)].map(([, name = '']) => name);
  const exists = (name) => {
    if (name.slice(0, -1).includes('/')) return tree.has(name);
    const neighbours = names.filter((other) => other !== name);
    return tree.hasBare(name, neighbours);
  };
  return names.filter((name) => !exists(name)).map((name) => `names ${name}, which does not exist`);
}

const missingLinks = ({ text }, { read }, path) =>
  [...text.matchAll(link)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [file, heading] = target.split('#');
    const content = read(file ? posix.join(posix.dirname(path), file) : path);
    if (content === undefined) return [`links to ${target}, which does not exist`];
    return heading && !headingsOf(content).includes(heading)
      ? [`links to ${target}, a heading that does not exist`]
      : [];
  });

const missingScripts = ({ text }, { scripts }) =>
  [...text.matchAll(npmRun)]
    .filter(([, name]) => !scripts.has(name))
    .map(([command]) => `names ${command}, which is not a script`);

/** The simulator's own page is for its developers. */
const isPage = (path) => /^(?:docs\/.*|[A-Z]+)\.md$/.test(path);
const longestLine = 120;
const longestRow = 200;
const mostLines = (path) => (path === 'README.md' ? 150 : 249);

/** Code may be longer than prose. */
function longLines(path, text) {
  if (!isPage(path)) return [];
  const lines = text.trimEnd().split('\n');
  const violations =
    lines.length > mostLines(path)
      ? [`${path}:1 has ${lines.length} lines, more than ${mostLines(path)}: make two pages of it`]
      : [];
  let isCode = false;
  for (const [index, line] of lines.entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const most = /^\s*\|/.test(line) ? longestRow : longestLine;
    if (!isCode && [...line].length > most) violations.push(`${path}:${index + 1} has more than ${most} characters`);
  }
  return violations;
}

const decisions = 'docs/decisions/';

const mostDecisions = 40;
const decisionForm =
  /^# (.+)\n\nAccepted \d{4}-\d\d-\d\d\n\n## Context\n[^#]+\n## Decision\n[^#]+\n## Consequences\n[^#]+$/;
const isDecision = (path) => path.startsWith(decisions) && path !== `${decisions}README.md`;

/** A record has a number in its name, a title, a date and three parts, and a line in the list. */
function wrongDecision(path, text, { read }) {
  if (!isDecision(path)) return [];
  const name = path.slice(decisions.length);
  if (!/^\d\d-[a-z0-9-]+\.md$/.test(name)) return [`${path}:1 is not named by two digits and a few words`];
  const [, title] = decisionForm.exec(text) ?? [];
  if (!title) return [`${path}:1 is not a title, 'Accepted' with a date, then Context, Decision and Consequences`];
  const line = `\n- [${title}](${name})\n`;
  return read(`${decisions}README.md`)?.includes(line)
    ? []
    : [`${path}:1 is not in the list of decisions by its title`];
}

/** The list names each record once, in numerical order, and is short enough to read. */
function wrongList(path, text) {
  if (path !== `${decisions}README.md`) return [];
  const numbers = [...text.matchAll(/^- \[.+\]\((\d\d)-/gm)].map(([, number]) => Number(number));
  const wrong = numbers.findIndex((number, at) => number !== at + 1);
  if (wrong >= 0) return [`${path}:1 does not have ${wrong + 1} in its place`];
  return numbers.length > mostDecisions
    ? [`${path}:1 has more than ${mostDecisions} records: join two, or remove one`]
    : [];
}

const environment = 'server/src/config/environment.ts';
const variables = 'docs/operator/configure.md';
/** Operators read of every variable of the environment. */
function missingVariables(path, text, { read: textOf }) {
  if (path !== environment) return [];
  const page = textOf(variables) ?? '';
  return [...text.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)]
    .map(([, name]) => name)
    .filter((name) => !page.includes(`\`${name}\``))
    .map((name) => `${path} has ${name}, which ${variables} does not name`);
}

function violationsIn(path, text, tree) {
  const [parts, checks] = isDocument(path)
    ? [blocksOf(text), [missingFiles, missingLinks, missingScripts]]
    : [commentsOf(text), [missingInComment]];
  const violations = parts.flatMap((part) =>
    checks.flatMap((check) => check(part, tree, path).map((what) => `${path}:${part.line} ${what}`)),
  );
  return [
    ...violations,
    ...longLines(path, text),
    ...wrongDecision(path, text, tree),
    ...wrongList(path, text),
    ...missingVariables(path, text, tree),
  ];
}

const files = filesBelow(root);
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const read = (path) => {
  const full = join(root, path);
  if (!existsSync(full)) return undefined;
  return isDocument(path) ? readFileSync(full, 'utf8') : '';
};
const repository = { tree: fileTree(files), scripts: new Set(Object.keys(scripts)), read };

const small = {
  tree: fileTree([
    'server/src/app.ts',
    'server/src/chat/runs.ts',
    'server/src/chat/routes.ts',
    'server/src/auth/routes.ts',
  ]),
  scripts: new Set(['dev']),
  read: (path) =>
    ({
      'docs/a.md': '# One\n\n## Two words\n',
      'docs/decisions/README.md': '\n- [One](01-one.md)\n',
    })[path],
};
const record = (title, parts = ['Context', 'Decision', 'Consequences']) =>
  `# ${title}\n\nAccepted 2026-11-22\n\n${parts.map((part) => `## ${part}\n\nWords.\n`).join('\n')}`;
const list = (count) =>
  Array.from({ length: count }, (_, at) => `\n- [One](${String(at + 1).padStart(2, '0')}-one.md)`).join('');
const planted = [
  ['docs/b.md', 'See `server/src/gone.ts`.'],
  ['docs/b.md', 'See `chat/gone/`.'],
  ['docs/b.md', 'See `gone.ts`.'],
  ['docs/b.md', 'See `chat/runs.ts`.\n\nAnd `routes.ts`.'],
  ['docs/b.md', '[a](gone.md)'],
  ['docs/b.md', '[a](a.md#three)'],
  ['docs/b.md', 'Run `npm run gone`.'],
  ['docs/user/b.md', 'Words.\n'.repeat(250)],
  ['README.md', 'Words.\n'.repeat(151)],
  ['SECURITY.md', `${'word '.repeat(24)}word`],
  ['docs/user/b.md', `Words.\n\n    ${'w'.repeat(120)}`],
  ['docs/user/b.md', `| ${'w'.repeat(197)} |`],
  ['docs/user/b.md', `\`\`\`\ncode\n\`\`\`\n${'w'.repeat(121)}`],
  ['docs/decisions/01-one.md', '# One\n\nFor good reasons.\n'],
  ['docs/decisions/01-one.md', record('One', ['Context', 'Decision'])],
  ['docs/decisions/01-one.md', record('Another')],
  ['docs/decisions/02-two.md', record('Two')],
  ['docs/decisions/0101-one.md', record('One')],
  ['docs/decisions/README.md', '\n- [Two](02-two.md)\n- [One](01-one.md)\n'],
  ['docs/decisions/README.md', '\n- [One](01-one.md)\n- [Three](03-three.md)\n'],
  ['docs/decisions/README.md', list(mostDecisions + 1)],
  ['server/src/config/environment.ts', 'export const Environment = z.object({\n  PORT: setting(port),\n});\n'],
  ['server/src/a.ts', 'const a = 1; // see chat/gone.ts'],
  ['server/src/a.ts', '/**\n * As in docs/gone.md.\n */'],
];
const harmless = [
  [
    'docs/b.md',
    'See `chat/runs.ts`, `routes.ts`, `src/chat/` and `app.ts`; [a](a.md#two-words), [b](https://example.com).',
  ],
  ['docs/decisions/01-one.md', record('One')],
  ['docs/b.md', '`npm start`, `npm run dev`, `npm test`'],
  ['docs/b.md', `${'é'.repeat(120)}\n| ${'w'.repeat(196)} |\n\`\`\`\n${'w'.repeat(300)}\n\`\`\`\n`],
  ['docs/b.md', 'Words.\n'.repeat(249)],
  ['simulator/README.md', 'w'.repeat(300)],
  ['server/src/a.ts', "import './gone.ts'; // in chat/runs.ts"],
];
const failures = [];
for (const [path, text] of planted)
  if (violationsIn(path, text, small).length === 0)
    failures.push(`A planted violation was not found in ${path}: ${text.slice(0, 100)}`);
for (const [path, text] of harmless)
  for (const violation of violationsIn(path, text, small)) failures.push(`Found where nothing is wrong: ${violation}`);

const checked = files.filter(isChecked);
for (const path of checked) failures.push(...violationsIn(path, readFileSync(join(root, path), 'utf8'), repository));
if (checked.length < 200) failures.push(`Only ${checked.length} files were checked`);

for (const failure of failures) console.error(failure);
console.log(`${checked.length} files, ${planted.length} planted violations, ${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
