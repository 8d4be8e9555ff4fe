// Sizes of files and functions by folder: `node scripts/sizes.mjs`. With --check: no function has more than sixty lines
// unless a comment before it says why, in a line that begins with `Long:`; a short one has no such line.
// A function around a list of others is as long as it has entries, whatever its file is called; each entry is counted by
// itself.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from './install.mjs';

const maxLines = 60;
const folders = ['contracts/src', 'server/src', 'web/src', 'simulator/src', 'bench', 'chaos', 'scripts'];

function sourcesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(?:tsx?|mjs)$/.test(entry.name) && !/\.(?:test|d)\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !/^server\/src\/(?:testing|db\/migrations)\//.test(path));
}

/**
 * True for a function around a list of others, such as a repository, the calls of a provider or a feature's routes: it
 * ends by returning an object or a function, or only registers functions.
 */
function holdsList({ body }) {
  if (!body) return false;
  if (!ts.isBlock(body)) return isList(body);
  const statements = body.statements.filter((one) => !ts.isFunctionDeclaration(one));
  const last = statements.at(-1);
  if (last && ts.isReturnStatement(last)) return isList(last.expression);
  return (
    statements.some(registers) &&
    statements.every((one) => ts.isVariableStatement(one) || ts.isExpressionStatement(one))
  );
}

function isList(value) {
  let inner = value;
  while (inner && (ts.isParenthesizedExpression(inner) || ts.isSatisfiesExpression(inner))) inner = inner.expression;
  return inner !== undefined && (ts.isObjectLiteralExpression(inner) || isFunction(inner));
}

const registers = ({ expression }) =>
  expression !== undefined && ts.isCallExpression(expression) && expression.arguments.some(isFunction);

/** The functions that are entries of the list that a function builds. */
function entriesOf(node) {
  const entries = [];
  const visit = (inner) => {
    if (isFunction(inner)) entries.push(inner);
    else ts.forEachChild(inner, visit);
  };
  ts.forEachChild(node, visit);
  return entries;
}

const isFunction = (node) =>
  ts.isFunctionDeclaration(node) ||
  ts.isFunctionExpression(node) ||
  ts.isArrowFunction(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isConstructorDeclaration(node);

/** The name of a function; undefined: it has none. */
function nameOf({ name, parent }, source) {
  if (name) return name.getText(source);
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText(source);
  return undefined;
}
/** The label of an anonymous function: the call that it is passed to. */
const descriptionOf = ({ parent }, source) =>
  ts.isCallExpression(parent) ? `given to ${parent.expression.getText(source).slice(0, 40)}` : 'unnamed';

/** The statement or member that a function is the whole of, with its comments. */
function statementOf(node) {
  let outer = node;
  while (
    outer.parent &&
    !ts.isSourceFile(outer.parent) &&
    !ts.isBlock(outer.parent) &&
    !ts.isObjectLiteralExpression(outer.parent)
  )
    outer = outer.parent;
  return outer;
}

/** All functions of a text, each with its own lines and whether it gives a reason for its length. */
function functionsIn(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const functions = [];
  const visit = (node) => {
    if (isFunction(node)) {
      const line = lineAt(node.getStart(source));
      const comments = ts.getLeadingCommentRanges(text, statementOf(node).getFullStart()) ?? [];
      const hasReason = comments.some(({ pos, end }) =>
        /^\/[/*][\s*]*(?:[^\n]*\n\s*\*\s*)*?Long:/.test(text.slice(pos, end)),
      );
      const own = nameOf(node, source);
      const name = own ?? descriptionOf(node, source);
      const linesOf = (one) => lineAt(one.end) - lineAt(one.getStart(source)) + 1;
      const entries = holdsList(node) ? entriesOf(node) : [];
      const lines = linesOf(node) - entries.reduce((sum, entry) => sum + linesOf(entry) - 1, 0);
      functions.push({ path, name, isNamed: own !== undefined, line, lines, hasReason });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return functions;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
const largest = (items) => items.reduce((most, item) => (item.lines > most.lines ? item : most), { lines: 0 });
/** Short enough, or with a reason. A function's lines include those of nested ones. */
const isTooLong = ({ lines, hasReason }) => lines > maxLines && !hasReason;

const hasNeedlessReason = ({ lines, hasReason }) => hasReason && lines <= maxLines;

function summary(name, files) {
  const functions = files.flatMap((file) => file.functions);
  // Functions in the arguments of a call are usually one line, and would hide the others.
  const named = functions.filter((one) => one.isNamed);
  const [file, longest] = [largest(files), largest(functions)];
  return {
    folder: name,
    files: files.length,
    'median file': median(files.map(({ lines }) => lines)),
    'largest file': `${file.lines} ${file.path}`,
    'named functions': named.length,
    'median function': median(named.map(({ lines }) => lines)),
    'longest function': `${longest.lines} ${longest.name} (${longest.path}:${longest.line})`,
    [`above ${maxLines}`]: functions.filter(({ lines }) => lines > maxLines).length,
    'without reason': functions.filter(isTooLong).length,
  };
}

const read = (path) => {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, lines: text.split('\n').length - 1, functions: functionsIn(path, text) };
};
const filler = (lines) => 'a();\n'.repeat(lines);
const planted = [
  `function long() {\n${filler(60)}}`,
  `const parts = () => {\n${filler(60)}};`,
  `/** Long ago. */\nfunction long() {\n${filler(60)}}`,
  `function around() {\n${`const entry = () => {\n${filler(20)}};\n`.repeat(3)}}`,
];
const harmless = [
  `function short() {\n${filler(58)}}`,
  `/** Long: one after the other, nothing to share. */\nexport function long() {\n${filler(60)}}`,
  `/**\n * Does it.\n * Long: a table.\n */\nconst long = () => {\n${filler(60)}};`,
];

const all = folders.flatMap(sourcesBelow).map(read);
const plantedInLists = [
  `function list() {\n${filler(60)}return { entry() {\n${filler(2)}} };\n}`,
  `function list() {\nreturn {\nentry() {\n${filler(60)}} };\n}`,
  `function routes() {\n${filler(60)}register(() => a());\n}`,
  `function around() {\n${`const entry = () => {\n${filler(20)}};\n`.repeat(3)}if (a) b();\n}`,
];
const plantedReason = `/** Long: a table. */\nfunction short() {\n${filler(9)}}`;
const harmlessLists = [
  `function list() {\nreturn {\n${`entry() {\n${filler(20)}},\n`.repeat(5)}};\n}`,
  `function routes() {\n${`register(() => {\n${filler(20)}});\n`.repeat(5)}}`,
  `function made() {\n${`function part() {\n${filler(20)}}\n`.repeat(5)}return () => part();\n}`,
];

function check() {
  const failures = [];
  const prove = (path, violations, fine) => {
    const isFound = (text) => functionsIn(path, text).some(isTooLong);
    for (const text of violations)
      if (!isFound(text)) failures.push(`A planted violation was not found: ${text.slice(0, 40)}`);
    for (const text of fine) if (isFound(text)) failures.push(`Found where nothing is wrong: ${text.slice(0, 40)}`);
  };
  prove('a.ts', planted, harmless);
  prove('a.ts', plantedInLists, harmlessLists);
  if (!functionsIn('a.ts', plantedReason).some(hasNeedlessReason))
    failures.push('A planted reason of a short function was not found');
  for (const { path, name } of all.flatMap(({ functions }) => functions).filter(hasNeedlessReason))
    failures.push(`${path} ${name} is short: take its reason out`);
  const long = all.flatMap(({ functions }) => functions.filter(isTooLong));
  for (const { path, name, lines } of long)
    failures.push(`${path} ${name} has ${lines} lines: make it two, or say why (Long: …)`);
  if (all.length < 200) failures.push(`Only ${all.length} files were looked at`);
  for (const failure of failures) console.error(failure);
  console.log(
    `${long.length} long functions, ${planted.length + plantedInLists.length + 1} planted violations, ${failures.length} failures`,
  );
  process.exitCode = failures.length === 0 ? 0 : 1;
}

/** `server/src/features/chat`, `web/src/ui`, `bench`: as deep as the tree has subjects. */
const groupOf = (path) => {
  const parts = path.split('/').slice(0, -1);
  return parts.slice(0, parts[2] === 'features' ? 4 : 3).join('/');
};

function report() {
  const groups = [...Map.groupBy(all, ({ path }) => groupOf(path))].filter(([name]) => !folders.includes(name));
  const totals = folders.map((folder) =>
    summary(
      folder,
      all.filter(({ path }) => path.startsWith(`${folder}/`)),
    ),
  );
  const rows = [...groups.map(([name, files]) => summary(name, files)), ...totals];
  const columns = Object.keys(rows[0]);
  for (const cells of [columns, columns.map(() => '---'), ...rows.map((row) => Object.values(row))])
    console.log(`| ${cells.join(' | ')} |`);
}

if (process.argv.includes('--check')) check();
else report();
