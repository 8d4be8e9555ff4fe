import { type Kysely, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';

type Column = { name: string; type: 'string' | 'number'; kind: 'plain' | 'nullable' | 'defaulted' | 'generated' };
export type Table = { name: string; columns: Column[] };

/** Portable columns only: integers, reals, text. Booleans are 0/1, times ISO 8601 text in UTC, JSON is text. */
function typeOf(dataType: string): Column['type'] {
  if (/^(?:integer|bigint|double precision|int[48]|float8)$/i.test(dataType)) return 'number';
  if (/^text$/i.test(dataType)) return 'string';
  throw new Error(`A column is ${dataType}, which one of the engines does not have`);
}

/** The search indexes differ between the engines, and no query reads their columns by type. */
const isIndex = (table: string) => /^(?:message|thread)_search(?:_|$)/.test(table);

/** The tables of a migrated database by name, with their columns in order. */
export async function tablesOf<Schema>(db: Kysely<Schema>): Promise<Table[]> {
  const tables = await db.introspection.getTables();
  const keys = await keysOnSqlite(db);
  return tables
    .filter(({ name }) => !isIndex(name))
    .map(({ name: table, columns }) => ({
      name: table,
      columns: columns.map(({ name, dataType, isNullable, isAutoIncrementing, hasDefaultValue }) => {
        const column = { name, type: typeOf(dataType) };
        // SQLite numbers the rows of any table with one integer as its key.
        if (isAutoIncrementing && name === 'id') return { ...column, kind: 'generated' as const };
        if (isNullable && !keys.has(`${table}.${name}`)) return { ...column, kind: 'nullable' as const };
        return { ...column, kind: hasDefaultValue ? ('defaulted' as const) : ('plain' as const) };
      }),
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** `table.column` of each column of a primary key, which SQLite lists as nullable. */
async function keysOnSqlite<Schema>(db: Kysely<Schema>): Promise<Set<string>> {
  if (isPostgres(db)) return new Set();
  const { rows } = await sql<{ place: string }>`
    select t.name || '.' || c.name as place from pragma_table_list t, pragma_table_info(t.name) c
    where t.schema = 'main' and c.pk > 0`.execute(db);
  return new Set(rows.map(({ place }) => place));
}

const wrapped = { plain: '', nullable: ' | null', defaulted: 'Generated', generated: 'GeneratedAlways' };

function typeText({ type, kind }: Column) {
  if (kind === 'plain' || kind === 'nullable') return `${type}${wrapped[kind]}`;
  return `${wrapped[kind]}<${type}>`;
}

/** The text of schema.generated.ts. @throws if a note names no table or column */
export function schemaText(tables: Table[], notes: Record<string, string>): string {
  const left = new Map(Object.entries(notes));
  const note = (name: string, indent: string) => {
    const text = left.get(name);
    left.delete(name);
    return text ? `${indent}/** ${text} */\n` : '';
  };
  const texts = tables.map(({ name, columns }) => {
    const about = note(name, '  ');
    const lines = columns.map(
      (column) => `${note(`${name}.${column.name}`, '    ')}    ${column.name}: ${typeText(column)};\n`,
    );
    return `${about}  ${name}: {\n${lines.join('')}  };\n`;
  });
  if (left.size > 0) throw new Error(`schema-notes.json names what is not there: ${[...left.keys()].join(', ')}`);
  return `// Written by \`npm run schema\` from the migrated database and schema-notes.json.
import type { Generated, GeneratedAlways } from 'kysely';

/** Booleans are 0/1, times ISO 8601 text in UTC, JSON is text. */
export type Tables = {\n${texts.join('')}};\n`;
}
