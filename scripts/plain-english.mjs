// Keeps the language of docs/contributor/style.md: comments, names and test titles in plain English. Verified on planted
// violations before each run.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './install.mjs';

/** A comment that opens so is half a sentence: its subject is the code below. */
const opening = /^(?:Of|Who|Whoever|What|Whether|Where|Those|That|Such|So many)\b/;
/** Words of the first versions that a reader had to translate, and what style.md has instead. */
const dialect = [
  [/\bwhoever\b/i, 'the user, the caller'],
  [/\bbegun\b/i, 'started'],
  [/\blet go\b/i, 'released'],
  [/\bunder way\b/i, 'active, running'],
  [/\banew\b/i, 'again'],
  [/\bis told\b(?! to)/i, 'is notified'],
  [/\bstands for\b/i, 'represents'],
];
const dialectName =
  /AtMost|[Uu]nderWay|[Ll]etGo|[Gg]oOn(?![a-z])|[Tt]old|[Bb]egun|[Mm]adeFile|[Ss]ideQuestion|[Aa]nswerer|Anew|Whoever|[Cc]hores?(?![a-z])|stillMay/;
/** Stored names, which stay. */
const storedNames = new Set(['answerer', 'madeFileId', 'model_ends_told']);
const longestTitle = 90;

/** Comments, and texts without the code inside templates: names are neither. */
const comment = /\/\*[\s\S]*?\*\/|(?<=^|[\s;{}(,])\/\/[^\n]*/gm;
const quoted = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g;
const templateText = /(?<=[`}])[^`$]*(?:\$(?!\{)[^`$]*)*(?=`|\$\{)/g;
const identifier = /[A-Za-z_$][\w$]*/g;
const title = /^\s*(?:test|it|describe)(?:\.\w+)*\(\s*(['"])((?:(?!\1)[^\\\n]|\\.)*)\1/gm;

function commentsOf(text) {
  const found = [];
  for (const match of text.matchAll(/\/\*[\s\S]*?\*\/|(?:(?<=[\s;{}(,])|^)\/\/[^\n]*/gm)) {
    const words = match[0]
      .replace(/^\/\*+|\*\/$|^\/\//g, '')
      .replace(/\n\s*\*/g, ' ')
      .replace(/`[^`]*`/g, '');
    // A line that goes on from the line before is not the opening of a comment.
    const before = text.slice(0, match.index).split('\n').at(-2) ?? '';
    const isContinued = match[0].startsWith('//') && /^\s*\/\//.test(before);
    found.push({ words: words.trim(), line: text.slice(0, match.index).split('\n').length, isContinued });
  }
  return found;
}

function problemsOfComments(path, text) {
  return commentsOf(text).flatMap(({ words, line, isContinued }) => {
    const [first] = isContinued ? [] : (opening.exec(words) ?? []);
    const spoken = dialect.filter(([word]) => word.test(words));
    return [
      ...(first ? [`${path}:${line} opens a comment with ${first}: say who does what`] : []),
      ...spoken.map(([word, better]) => `${path}:${line} says ${word.exec(words)?.[0]}: write ${better}`),
    ];
  });
}

const namesIn = (text) =>
  new Set(text.replace(comment, '').replace(quoted, "''").replace(templateText, '').match(identifier) ?? []);

const problemsOfNames = (path, text) =>
  [...namesIn(text)]
    .filter((name) => dialectName.test(name) && !storedNames.has(name))
    .map((name) => `${path} names ${name}: use the field’s term`);

const problemsOfTitles = (path, text) =>
  [...(/\.(?:test|spec)\.tsx?$/.test(path) ? text.matchAll(title) : [])]
    .map(([, , words]) => words)
    .filter((words) => words.length > longestTitle)
    .map((words) => `${path} has a title of ${words.length} characters: ${words}`);

const violationsIn = (path, text) => [
  ...problemsOfComments(path, text),
  ...problemsOfNames(path, text),
  ...problemsOfTitles(path, text),
];

const planted = [
  ['a.ts', '/** Whether it is open. */\n'],
  ['a.ts', 'const a = 1; // Of the second\n'],
  ['a.ts', '/**\n * What is kept.\n */\n'],
  ['a.ts', '// Stops whoever waits.\n'],
  ['a.ts', 'export const rowsAtMost = 3;\n'],
  ['a.ts', 'function letGoAll() {}\n'],
  ['a.ts', 'const run = () => {\n  const begun = 1;\n};\n'],
  ['a.test.ts', `test('${'x'.repeat(longestTitle + 1)}', () => {});\n`],
];
const harmless = [
  ['a.ts', '// Only the owner sees\n// what is inside.\n'],
  ['a.ts', "/** True if open. */\nconst text = 'Where is it?';\n"],
  ['a.ts', "const text = 'begun';\n"],
  ['a.test.ts', "test('rejects an expired token', () => {});\n"],
];

const failures = [];
for (const [path, text] of planted)
  if (violationsIn(path, text).length === 0) failures.push(`A planted violation was not found: ${text}`);
for (const [path, text] of harmless)
  if (violationsIn(path, text).length > 0) failures.push(`Found where nothing is wrong: ${text}`);

const folders = ['contracts', 'server', 'web', 'simulator', 'e2e', 'bench', 'chaos', 'scripts'];
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((file) => relative(root, join(root, folder, file)).replaceAll('\\', '/'))
    // Released migrations never change; this file names the words.
    .filter(
      (path) => /\.(?:tsx?|mjs)$/.test(path) && !/node_modules|\/dist\/|db\/migrations\/|plain-english/.test(path),
    ),
);
for (const path of files) failures.push(...violationsIn(path, readFileSync(join(root, path), 'utf8')));
if (files.length < 1_000) failures.push(`Only ${files.length} files were checked`);

for (const failure of failures) console.error(failure);
console.log(`${files.length} files, ${planted.length} planted violations, ${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
