// Keeps physical sides out of the page, so that it mirrors for right-to-left readers: `ms-2`, not `ml-2`. `--fix`
// replaces them by logical names. Verified on planted violations before each run.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './install.mjs';

/** A physical class after its variants, and the logical one. */
const renamed = [
  [/^(-?(?:scroll-)?[mp])l-/, '$1s-'],
  [/^(-?(?:scroll-)?[mp])r-/, '$1e-'],
  [/^(-?)left-/, '$1inset-s-'],
  [/^(-?)right-/, '$1inset-e-'],
  [/^(text|float|clear)-left$/, '$1-start'],
  [/^(text|float|clear)-right$/, '$1-end'],
  [/^border-l(?=-|$)/, 'border-s'],
  [/^border-r(?=-|$)/, 'border-e'],
  [/^rounded-l(?=-|$)/, 'rounded-s'],
  [/^rounded-r(?=-|$)/, 'rounded-e'],
  [/^rounded-tl(?=-|$)/, 'rounded-ss'],
  [/^rounded-tr(?=-|$)/, 'rounded-se'],
  [/^rounded-bl(?=-|$)/, 'rounded-es'],
  [/^rounded-br(?=-|$)/, 'rounded-ee'],
];
/** A class candidate: a possible value after its variants, within quotes or spaces. */
const value = String.raw`(?:\d[\d./]*|px|auto|full|\[[^\]\s]+\]|\([^)\s]+\))`;
const candidate = new RegExp(
  String.raw`(?<=["'\`\s:!])(?:-?(?:(?:scroll-)?[mp][lr]|left|right)-${value}|(?:text|float|clear)-(?:left|right)|(?:border-[lr]|rounded-(?:[lr]|[tb][lr]))(?:-[\w/()[\]-]+)?)(?=["'\`\s!])`,
  'g',
);
const physicalProperty =
  /(?<![\w-])(?:(?:margin|padding|border)-(?:left|right)[\w-]*|(?:left|right)|text-align: *(?:left|right))(?=\s*[:;])/g;

const allowed = [
  // Positioned by a script that measures from the left of the window in either direction.
  ['web/src/ui/menus/tooltip-box.tsx', 'left-0'],
  ['web/src/ui/menus/menu.tsx', 'left-0'],
  // Only for right-to-left pages, where paragraphs would otherwise each start at their own side.
  ['web/src/styles/base.css', 'text-align: right'],
];
const isAllowed = (path, found) => allowed.some(([file, name]) => file === path && name === found);

const isComment = (text, index) => /^\s*(?:\/\/|\/?\*)/.test(text.slice(text.lastIndexOf('\n', index) + 1));
const logical = (name) => renamed.reduce((result, [from, to]) => result.replace(from, to), name);

function violationsIn(path, text) {
  const pattern = path.endsWith('.css') ? physicalProperty : candidate;
  return [...text.matchAll(pattern)]
    .filter(({ 0: found, index }) => !isAllowed(path, found) && !isComment(text, index))
    .map(({ 0: found, index }) => ({ found, line: text.slice(0, index).split('\n').length }));
}

const planted = [
  ['a.tsx', `<p className="ml-2" />`],
  ['a.tsx', `<p className={classNames('x', wide && 'max-md:-mr-[3px]')} />`],
  ['a.tsx', `<p className="md:hover:left-1/2 x" />`],
  ['a.tsx', `const a = 'text-right';`],
  ['a.tsx', '<p className={`border-l-2`} />'],
  ['a.tsx', `<p className="rounded-tl-lg!" />`],
  ['a.tsx', `<p className="pr-(--room)" />`],
  ['a.css', 'p { margin-left: 2px }'],
  ['a.css', 'p { text-align: right; }'],
];
const harmless = [
  ['a.tsx', `const x = anchor.left - gap; <p className="ms-2 text-start line-clamp-2 inset-x-0" />`],
  ['a.tsx', `const align = { left: 'start' }; // at the left-0`],
  ['a.css', 'p { margin-inline-start: 2px; text-align: start }'],
];

const failures = [];
for (const [path, text] of planted)
  if (violationsIn(path, text).length === 0) failures.push(`A planted violation was not found: ${text}`);
for (const [path, text] of harmless)
  if (violationsIn(path, text).length > 0) failures.push(`Found where nothing is wrong: ${text}`);

const fix = process.argv.includes('--fix');
const files = readdirSync(join(root, 'web/src'), { recursive: true }).filter((path) => /\.(?:tsx?|css)$/.test(path));
for (const file of files) {
  const full = join(root, 'web/src', file);
  const path = relative(root, full).replaceAll('\\', '/');
  let text = readFileSync(full, 'utf8');
  if (fix && !path.endsWith('.css')) {
    const changed = text.replace(candidate, (found, index) =>
      isAllowed(path, found) || isComment(text, index) ? found : logical(found),
    );
    if (changed !== text) writeFileSync(full, changed);
    text = changed;
  }
  for (const { found, line } of violationsIn(path, text))
    failures.push(`${path}:${line} ${found}: use ${logical(found)}`);
}
if (files.length < 200) failures.push(`Only ${files.length} files were looked at`);

for (const failure of failures) console.error(failure);
console.log(`${files.length} files, ${planted.length} planted violations, ${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
