import { type Kysely, sql } from 'kysely';
import type { Engine } from '../connect.ts';
import type { Database } from '../schema.ts';
import { searchWords } from '../search-words.ts';

const rowsAtOnce = 500;
/** Of plain words the index has been the same before. */
const isPlain = /^[\t\n\r\x20-\x7e]*$/;

type Words = { id: number; user_id: number; text: string };

/** Indexes the conversations so far as new ones are: the inside of unspaced scripts, emoji, and the names of attached files. */
export async function up(db: Kysely<Database>, engine: Engine) {
  async function put(index: 'thread_search' | 'message_search', { id, user_id, text }: Words) {
    const words = searchWords(text);
    if (engine === 'postgres')
      await sql`insert into ${sql.table(index)} (id, user_id, words) values (${id}, ${user_id}, to_tsvector('simple', ${words}))
        on conflict (id) do update set words = excluded.words`.execute(db);
    else
      await sql`insert or replace into ${sql.table(index)} (rowid, owner, words)
        values (${id}, ${`u${user_id}`}, ${words})`.execute(db);
  }

  for (let after = 0; ; ) {
    const { rows } = await sql<Words>`select id, user_id, title as text from threads
      where id > ${after} and purpose = 'chat' order by id limit ${rowsAtOnce}`.execute(db);
    for (const row of rows) if (!isPlain.test(row.text)) await put('thread_search', row);
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
  }

  for (let after = 0; ; ) {
    const { rows } =
      await sql<Words>`select m.id, m.user_id, m.text from messages m join threads t on t.id = m.thread_id
      where m.id > ${after} and t.purpose = 'chat' order by m.id limit ${rowsAtOnce}`.execute(db);
    const last = rows.at(-1);
    if (!last) break;
    const { rows: files } = await sql<{ message_id: number; filename: string }>`select message_id, filename
      from message_files where message_id > ${after} and message_id <= ${last.id}`.execute(db);
    const names = Map.groupBy(files, ({ message_id }) => message_id);
    for (const row of rows) {
      const own = names.get(row.id)?.map(({ filename }) => filename) ?? [];
      if (own.length > 0 || !isPlain.test(row.text))
        await put('message_search', { ...row, text: [...own, row.text].join('\n') });
    }
    after = last.id;
  }
}
