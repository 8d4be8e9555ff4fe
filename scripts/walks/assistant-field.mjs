// Walks docs/contributor/walks/assistant-field.md in a copy of the sources: adds a field to an assistant in the five files
// that the page names, writes the types of the columns, and compiles. Fails if another file must be touched, or if the
// types do not demand the last one.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { node, root } from '../install.mjs';

const page = readFileSync(join(root, 'docs/contributor/walks/assistant-field.md'), 'utf8');
const migrations = 'server/src/db/migrations';
const numbers = readdirSync(join(root, migrations)).map((file) => Number.parseInt(file, 10) || 0);
const name = `${String(Math.max(...numbers) + 1).padStart(4, '0')}-audience`;

const migration = `import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';

export async function up(db: Kysely<Database>) {
  for (const table of ['assistants', 'assistant_versions'] as const)
    await db.schema
      .alterTable(table)
      .addColumn('audience', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
}
`;

/** The changes, by file: a new text, or a place and the text to insert before it. */
const steps = [
  [
    'contracts/src/assistants/assistants.ts',
    '  starters: {',
    "  audience: { draft: z.string().max(200).default(''), change: z.string().max(200), stored: z.string() },\n",
  ],
  [`${migrations}/${name}.ts`, undefined, migration],
  [
    'server/src/db/migrate.ts',
    "import type { Database } from './schema.ts';",
    `import * as audience from './migrations/${name}.ts';\n`,
  ],
  ['server/src/db/migrate.ts', '];', `  ['${name}', audience],\n`],
  [
    'web/src/features/assistants/fields/assistant-form.tsx',
    'export ',
    '/** Represents the input; the walk checks types. */\nexport const audienceOf = ({ audience }: AssistantSettings) => audience;\n',
  ],
  [
    'web/src/features/assistants/fields/assistant-form.tsx',
    'import ',
    "import type { AssistantSettings } from '@roster/contracts/assistants/assistants';\n",
  ],
];
/** Without these the comparison of versions does not compile: the last file of the walk. */
const lastFile = 'web/src/features/assistants/versions/field-texts.ts';
const lastSteps = [
  [lastFile, "  starters: 'Conversation", "  audience: 'Audience',\n"],
  [lastFile, '  starters: ({ settings })', '  audience: ({ settings }) => settings.audience,\n'],
];

function apply(copy, [file, before, text]) {
  const path = join(copy, file);
  if (before === undefined) return writeFileSync(path, text);
  const source = readFileSync(path, 'utf8');
  const at = source.indexOf(before);
  if (at === -1) throw new Error(`${file} has no ${before.trim()}: the walk is out of date`);
  writeFileSync(path, source.slice(0, at) + text + source.slice(at));
}

/** All installed packages, and the workspaces of the copy in place of the real ones. */
function linkPackages(copy) {
  const folder = join(copy, 'node_modules');
  mkdirSync(join(folder, '@roster'), { recursive: true });
  for (const entry of readdirSync(join(root, 'node_modules')))
    if (entry !== '@roster') symlinkSync(join(root, 'node_modules', entry), join(folder, entry));
  for (const workspace of ['contracts', 'simulator'])
    symlinkSync(join(copy, workspace), join(folder, '@roster', workspace));
  for (const workspace of ['contracts', 'server', 'web', 'simulator'])
    if (existsSync(join(root, workspace, 'node_modules')))
      symlinkSync(join(root, workspace, 'node_modules'), join(copy, workspace, 'node_modules'));
}

function compiles(copy, workspace) {
  const { status, stdout } = spawnSync(node, [join(root, 'node_modules/typescript-7/bin/tsc'), '-p', workspace], {
    cwd: copy,
    encoding: 'utf8',
  });
  return { ok: status === 0, output: stdout };
}

const schema = (copy, ...options) =>
  spawnSync(node, [join(copy, 'scripts/schema.mjs'), ...options], { cwd: copy, encoding: 'utf8' });

/** Writes the types of the columns, once the check has noticed that the new one is missing. */
function writeSchema(copy) {
  if (schema(copy, '--check').status === 0) return ['The new column is not missed by scripts/schema.mjs --check.'];
  const { status, stderr } = schema(copy);
  return status === 0 ? [] : [stderr];
}

function walk(copy) {
  const touched = new Set([...steps, ...lastSteps].map(([file]) => file));
  const problems = [];
  if (touched.size > 5) problems.push(`The walk touches ${touched.size} files, and promises five.`);
  for (const file of touched)
    if (!page.includes(file.startsWith(migrations) ? `${migrations}/` : file))
      problems.push(`docs/contributor/walks/assistant-field.md does not name ${file}.`);
  for (const step of steps) apply(copy, step);
  const early = compiles(copy, 'web');
  if (early.ok) problems.push(`Nothing demands ${lastFile}: the types of the web pass without it.`);
  for (const step of lastSteps) apply(copy, step);
  problems.push(...writeSchema(copy));
  for (const workspace of ['contracts', 'server', 'web']) {
    const { ok, output } = compiles(copy, workspace);
    if (!ok) problems.push(`${workspace} does not compile with the field:\n${output}`);
  }
  return problems;
}

const copy = mkdtempSync(join(tmpdir(), 'roster-walk-'));
try {
  for (const folder of ['contracts', 'server', 'web', 'simulator'])
    cpSync(join(root, folder), join(copy, folder), {
      recursive: true,
      filter: (path) => !['node_modules', 'dist', '.cache'].includes(basename(path)),
    });
  for (const file of ['package.json', 'package-lock.json', 'tsconfig.base.json', 'scripts'])
    cpSync(join(root, file), join(copy, file), { recursive: true });
  linkPackages(copy);
  for (const problem of walk(copy)) {
    console.error(problem);
    process.exitCode = 1;
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
