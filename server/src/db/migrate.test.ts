import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { versionRepository } from '#server/features/assistants/versions/repository';
import { findThreads } from '#server/features/chat/search/threads-repository';
import { quarterOf } from '#server/features/usage/zone-days';
import { emptyDatabase, engines } from '#server/testing/app';
import { openDatabase } from './connect.ts';
import { migrate } from './migrate.ts';
import { up as addComparisons } from './migrations/0010-usage-of-comparisons.ts';
import { up as indexWordsInside } from './migrations/0014-words-inside-texts.ts';
import { up as sumUpByToken } from './migrations/0020-usage-by-token.ts';
import { up as addChosen } from './migrations/0021-chosen-answers.ts';
import { up as placeToolCalls } from './migrations/0023-tool-calls.ts';
import { up as addVersions } from './migrations/0030-assistant-versions.ts';
import { up as separateTraining } from './migrations/0046-training-is-no-request.ts';
import released from './migrations/released.json' with { type: 'json' };

const root = join(import.meta.dirname, '../../..');
const migrationsFolder = join(import.meta.dirname, 'migrations');
const windowsLineEnds = (text: string) => text.replaceAll('\n', '\r\n');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe.each(engines)('migrations on %s', (engine) => {
  async function opened() {
    const empty = await emptyDatabase(engine);
    const database = openDatabase(empty.url, empty.dataDir);
    onTestFinished(async () => {
      await database.close();
      await empty.remove();
    });
    return {
      ...empty,
      database,
      history: () => database.db.selectFrom('schema_migrations').selectAll().orderBy('name').execute(),
    };
  }

  test('create every table in an empty database', async () => {
    const { database, history } = await opened();
    const applied = await migrate(database);
    expect(applied[0]).toBe('0001-init');
    expect((await history()).map(({ name }) => name)).toEqual(applied);
    const tables = (await database.db.introspection.getTables()).map(({ name }) => name);
    expect(tables).toEqual(expect.arrayContaining(['users', 'sessions', 'assistants', 'threads', 'messages', 'runs']));
  });

  test('change nothing the second time', async () => {
    const { database, dataDir, history } = await opened();
    await migrate(database);
    const before = await history();
    expect(await migrate(database)).toEqual([]);
    expect(await history()).toEqual(before);
    expect(readdirSync(dataDir)).not.toContain('backups');
  });

  test('record the checksum of each released step that installed databases have', async () => {
    const { database, history } = await opened();
    await migrate(database);
    const recorded = Object.fromEntries((await history()).map(({ name, checksum }) => [name, checksum]));
    expect(recorded).toMatchObject(released);
  });

  test('continue if line endings differ from those that created the database', async () => {
    const { database } = await opened();
    await migrate(database);
    const folder = mkdtempSync(join(tmpdir(), 'roster-migrations-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const name of readdirSync(migrationsFolder))
      writeFileSync(join(folder, name), windowsLineEnds(readFileSync(join(migrationsFolder, name), 'utf8')));
    expect(await migrate(database, pathToFileURL(`${folder}/`))).toEqual([]);
  });

  test('continue if the database was created when line endings still counted', async () => {
    const { database, history } = await opened();
    for (const name of await migrate(database))
      await database.db
        .updateTable('schema_migrations')
        .set({ checksum: sha256(windowsLineEnds(readFileSync(join(migrationsFolder, `${name}.ts`), 'utf8'))) })
        .where('name', '=', name)
        .execute();
    const before = await history();
    expect(await migrate(database)).toEqual([]);
    expect(await history()).toEqual(before);
  });

  test('refuse a database created by another form of a step', async () => {
    const { database, history } = await opened();
    await migrate(database);
    await database.db.updateTable('schema_migrations').set({ checksum: 'of another form' }).execute();
    const before = await history();
    await expect(migrate(database)).rejects.toThrow('migrated with a different version of 0001-init');
    expect(await history()).toEqual(before);
  });

  test('refuse a database created by a newer Roster', async () => {
    const { database, history } = await opened();
    await migrate(database);
    const newer = { name: '9999-from-the-future', checksum: 'x', applied_at: new Date().toISOString() };
    await database.db.insertInto('schema_migrations').values(newer).execute();
    const before = await history();
    await expect(migrate(database)).rejects.toThrow(
      'The database is newer than this Roster: it has 9999-from-the-future',
    );
    expect(await history()).toEqual(before);
  });

  test('remove fine-tuning jobs from the sums of requests, except for their cost', async () => {
    const { database } = await opened();
    const { db } = database;
    await migrate(database);
    const at = '2026-11-02T09:30:00.000Z';
    const user = { email: 'ada@example.com', role: 'Admin', status: 'Active', created_at: at } as const;
    const { id: userId } = await db.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow();
    const call = async (purpose: string, model: string, tokens: number, cost: number | null, time: string) => {
      const day = time.slice(0, 10);
      await sql`insert into usage_records (user_id, purpose, model, input_tokens, cached_tokens, cache_write_tokens,
          output_tokens, reasoning_tokens, cost_usd, estimated, day, created_at)
        values (${userId}, ${purpose}, ${model}, ${tokens}, 0, 0, 0, 0, ${cost}, 0, ${day}, ${time})`.execute(db);
      const sums = sql`1, ${tokens}, 0, 0, 0, ${cost ?? 0}, ${cost === null ? 1 : 0}, 0`;
      const columns = sql`requests, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_usd, unpriced_requests, estimated_requests`;
      const added = (table: string) =>
        sql.raw(`requests = ${table}.requests + 1, input_tokens = ${table}.input_tokens + excluded.input_tokens,
          cost_usd = ${table}.cost_usd + excluded.cost_usd, unpriced_requests = ${table}.unpriced_requests + excluded.unpriced_requests`);
      await sql`insert into usage_by_day (user_id, day, model, assistant_id, ${columns}) values (${userId}, ${day}, ${model}, 0, ${sums})
        on conflict (user_id, day, model, assistant_id) do update set ${added('usage_by_day')}`.execute(db);
      await sql`insert into usage_by_quarter (user_id, quarter, ${columns}) values (${userId}, ${quarterOf(time)}, ${sums})
        on conflict (user_id, quarter) do update set ${added('usage_by_quarter')}`.execute(db);
    };
    await call('chat', 'a', 10, 1, '2026-11-02T09:30:00.000Z');
    await call('training', 'a', 500, 4, '2026-11-02T09:44:59.999Z');
    await call('training', 'a', 70, null, '2026-11-02T09:45:00.000Z');
    await call('training', 'b', 300, 2, '2026-11-02T23:59:00.000Z');
    await separateTraining(db);
    const days = await db
      .selectFrom('usage_by_day')
      .select(['model', 'requests', 'input_tokens', 'cost_usd', 'unpriced_requests'])
      .orderBy('model')
      .execute();
    expect(days.map((row) => Object.values(row))).toEqual([
      ['a', 1, 10, 1, 0],
      ['training:a', 2, 570, 4, 1],
      ['training:b', 1, 300, 2, 0],
    ]);
    const quarters = await db
      .selectFrom('usage_by_quarter')
      .select(['quarter', 'requests', 'input_tokens', 'cost_usd', 'unpriced_requests'])
      .orderBy('quarter')
      .execute();
    expect(quarters.map((row) => Object.values(row))).toEqual([
      ['2026-11-02T09:30', 1, 10, 5, 0],
      ['2026-11-02T09:45', 0, 0, 0, 0],
      ['2026-11-02T23:45', 0, 0, 2, 0],
    ]);
  });

  test('find the comparison of a call recorded before calls referred to it', async () => {
    const { database } = await opened();
    const { db } = database;
    await migrate(database);
    await sql`alter table usage_records drop column comparison_id`.execute(db);
    const at = new Date().toISOString();
    const idOf = async (insert: { executeTakeFirstOrThrow: () => Promise<{ id: number }> }) =>
      (await insert.executeTakeFirstOrThrow()).id;
    const user = { email: 'ada@example.com', role: 'Admin', status: 'Active', created_at: at } as const;
    const userId = await idOf(db.insertInto('users').values(user).returning('id'));
    const compared = { user_id: userId, kind: 'models', title: '', tuned_model: 'a', base_model: 'b' } as const;
    const comparisonId = await idOf(
      db
        .insertInto('comparisons')
        .values({ ...compared, candidate: '', created_at: at })
        .returning('id'),
    );
    const threads: number[] = [];
    for (const purpose of ['comparison', 'comparison', 'chat'] as const) {
      const thread = { user_id: userId, title: '', title_source: 'opening', purpose, pinned: 0, archived: 0 } as const;
      const times = { created_at: at, updated_at: at };
      threads.push(
        await idOf(
          db
            .insertInto('threads')
            .values({ ...thread, ...times })
            .returning('id'),
        ),
      );
    }
    const [tuned_thread_id, base_thread_id] = threads;
    await sql`insert into comparison_prompts
        (user_id, comparison_id, position, instructions, turns, tuned_thread_id, base_thread_id)
      values (${userId}, ${comparisonId}, 1, '', '[]', ${tuned_thread_id}, ${base_thread_id})`.execute(db);
    for (const threadId of [...threads, 4711, null])
      await sql`insert into usage_records (user_id, thread_id, purpose, model, input_tokens, cached_tokens,
          cache_write_tokens, output_tokens, reasoning_tokens, estimated, day, created_at)
        values (${userId}, ${threadId}, 'chat', 'a', 1, 0, 0, 1, 0, 0, ${at.slice(0, 10)}, ${at})`.execute(db);
    await addComparisons(db);
    const rows = await db.selectFrom('usage_records').select('comparison_id').orderBy('id').execute();
    expect(rows.map((row) => row.comparison_id)).toEqual([comparisonId, comparisonId, null, null, null]);
  });

  test('sum up past usage of clients by token and day', async () => {
    const { database } = await opened();
    const { db } = database;
    await migrate(database);
    const at = '2026-11-01T00:00:00.000Z';
    const user = { email: 'ada@example.com', role: 'Admin', status: 'Active', created_at: at } as const;
    const { id: userId } = await db.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow();
    const token = { user_id: userId, name: 'Script', last4: 'abcd', rights: 'chat', created_at: at };
    const { id } = await db.insertInto('access_tokens').values(token).returning('id').executeTakeFirstOrThrow();
    const call = (day: string, tokenId: number | null, cost: number | null) =>
      sql`insert into usage_records (user_id, access_token_id, purpose, model, input_tokens, cached_tokens,
          cache_write_tokens, output_tokens, reasoning_tokens, cost_usd, estimated, day, created_at)
        values (${userId}, ${tokenId}, 'chat', 'a', 5, 1, 0, 2, 1, ${cost}, 0, ${day}, ${at})`.execute(db);
    await call('2026-11-01', id, 0.5);
    await call('2026-11-01', id, null);
    await call('2026-11-02', id, 0.25);
    await call('2026-11-02', null, 9);
    await db.schema.dropTable('usage_by_token').execute();
    await db.schema.dropIndex('access_tokens_trial').execute();
    await db.schema.alterTable('access_tokens').dropColumn('is_trial').execute();
    await sumUpByToken(db, engine);
    const rows = await db.selectFrom('usage_by_token').selectAll().orderBy('day').execute();
    const both = { user_id: userId, access_token_id: id, estimated_requests: 0 };
    expect(rows).toMatchObject([
      { ...both, day: '2026-11-01', requests: 2, input_tokens: 10, cost_usd: 0.5, unpriced_requests: 1 },
      { ...both, day: '2026-11-02', requests: 1, input_tokens: 5, cost_usd: 0.25, unpriced_requests: 0 },
    ]);
  });

  test('mark the shown one of several past answers as chosen, unless it is the first', async () => {
    const { database } = await opened();
    const { db } = database;
    await migrate(database);
    const at = '2026-11-01T00:00:00.000Z';
    const user = { email: 'ada@example.com', role: 'Admin', status: 'Active', created_at: at } as const;
    const { id: userId } = await db.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow();
    const { id: instance } = await db
      .insertInto('instances')
      .values({ started_at: at })
      .returning('id')
      .executeTakeFirstOrThrow();
    const expected: { id: number; chosen: 0 | 1 }[] = [];
    for (const shown of [0, 1]) {
      const thread = { user_id: userId, title: '', title_source: 'chosen', pinned: 0, archived: 0 } as const;
      const { id: threadId } = await db
        .insertInto('threads')
        .values({ ...thread, created_at: at, updated_at: at })
        .returning('id')
        .executeTakeFirstOrThrow();
      const message = { user_id: userId, thread_id: threadId, text: '', reasoning: '', created_at: at } as const;
      for (const beside of [0, 1]) {
        const { id } = await db
          .insertInto('messages')
          .values({ ...message, role: 'assistant', position: beside + 2, depth: 1 })
          .returning('id')
          .executeTakeFirstOrThrow();
        const run = { user_id: userId, thread_id: threadId, message_id: id, model: 'a', beside, instance } as const;
        await db
          .insertInto('runs')
          .values({ ...run, state: 'complete', created_at: at })
          .execute();
        if (beside === shown)
          await db.updateTable('threads').set({ head_message_id: id }).where('id', '=', threadId).execute();
        expected.push({ id, chosen: shown === 1 && beside === 1 ? 1 : 0 });
      }
    }
    await db.schema.alterTable('messages').dropColumn('chosen').execute();
    await addChosen(db);
    expect(await db.selectFrom('messages').select(['id', 'chosen']).orderBy('id').execute()).toEqual(expected);
  });

  test('make each assistant’s settings its first version', async () => {
    const { database } = await opened();
    const { db } = database;
    await migrate(database);
    await db.schema.dropTable('assistant_versions').execute();
    for (const column of ['version', 'starters', 'icon', 'color'])
      await db.schema.alterTable('assistants').dropColumn(column).execute();
    await db.schema.dropIndex('runs_of_versions').execute();
    await db.schema.alterTable('runs').dropColumn('assistant_version').execute();
    const at = '2026-11-01T00:00:00.000Z';
    const user = { email: 'ada@example.com', role: 'Admin', status: 'Active', created_at: at } as const;
    const { id: userId } = await db.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow();
    const one = { user_id: userId, description: '', model: 'a', temperature: 0.5, instructions: 'Be “kind”.' };
    const times = { provider_assistant_id: null, created_at: at, updated_at: at };
    const [first, second] = await db
      .insertInto('assistants')
      .values([
        { ...one, ...times, name: 'A', reasoning_effort: null, is_default: 1, tools: '{"webSearch":{}}' },
        { ...one, ...times, name: 'B', reasoning_effort: 'low', is_default: 0, tools: '{}' },
      ])
      .returning('id')
      .execute();
    const file = { user_id: userId, name_key: '', type: '', size: 1, sha256: '', purpose: 'assistants' } as const;
    const stored = await db
      .insertInto('files')
      .values({ ...file, filename: '"a".txt', storage_key: 'a', created_at: at })
      .returning('id')
      .executeTakeFirstOrThrow();
    const assistantId = first?.id ?? 0;
    const knows = { assistant_id: assistantId, user_id: userId, file_id: stored.id, state: 'ready' } as const;
    await db
      .insertInto('assistant_files')
      .values({ ...knows, error: null, indexed_file_id: null, added_at: at, changed_at: at })
      .execute();
    await db
      .insertInto('assistant_api_fields')
      .values({ assistant_id: assistantId, user_id: userId, fields: '{"top_p":0.5}' })
      .execute();
    await addVersions(db, engine);
    await db.schema
      .alterTable('assistant_versions')
      .addColumn('tags', 'text', (c) => c.notNull().defaultTo('[]'))
      .execute();
    const versionTable = db.schema.alterTable('assistant_versions');
    await versionTable.addColumn('earlier_messages', 'text', (c) => c.notNull().defaultTo('keep')).execute();
    await versionTable.addColumn('fallback_model', 'text').execute();
    const versions = versionRepository(db);
    expect(await versions.find(userId, assistantId, 1)).toMatchObject({
      ...{ origin: { kind: 'before' }, changed: [], createdAt: at },
      state: {
        settings: { name: 'A', instructions: 'Be “kind”.', tools: { webSearch: {} }, responseSchema: null },
        files: [{ fileId: stored.id, filename: '"a".txt' }],
        chosenTools: [],
        programFields: { top_p: 0.5 },
      },
    });
    expect(await versions.find(userId, second?.id ?? 0, 1)).toMatchObject({
      state: { settings: { name: 'B', reasoningEffort: 'low' }, files: [], programFields: null },
    });
    expect((await db.selectFrom('assistants').select('version').execute()).map(({ version }) => version)).toEqual([
      1, 1,
    ]);
  });

  test('index existing conversations like new ones', async () => {
    const { database } = await opened();
    const { db } = database;
    await migrate(database);
    const at = '2026-11-01T00:00:00.000Z';
    const user = { email: 'ada@example.com', role: 'Admin', status: 'Active', created_at: at } as const;
    const { id: userId } = await db.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow();
    const place = { user_id: userId, pinned: 0, archived: 0, created_at: at, updated_at: at } as const;
    async function conversation(title: string, text: string, filename?: string) {
      const thread = { ...place, title, title_source: 'chosen' } as const;
      const { id } = await db.insertInto('threads').values(thread).returning('id').executeTakeFirstOrThrow();
      const question = { user_id: userId, thread_id: id, position: 1, depth: 0, role: 'user', reasoning: '' } as const;
      const message = await db
        .insertInto('messages')
        .values({ ...question, text, created_at: at })
        .returning('id')
        .executeTakeFirstOrThrow();
      const file = { message_id: message.id, position: 0, user_id: userId, size: 1, kind: 'text' } as const;
      if (filename !== undefined)
        await db
          .insertInto('message_files')
          .values({ ...file, filename, media_type: 'text/plain' })
          .execute();
      return id;
    }
    const inText = await conversation('Plain', '系统的数据库设计');
    const inTitle = await conversation('东京铁塔', 'Plain');
    const inName = await conversation('Plain', 'Plain', 'budget-2024.txt');
    await indexWordsInside(db, engine);
    const idsFor = async (query: string) => {
      const options = { archived: undefined, programs: undefined, limit: 10, after: undefined };
      return (await findThreads(db, userId, query, options)).map(({ thread }) => thread.id);
    };
    expect([await idsFor('数据'), await idsFor('铁塔'), await idsFor('budget')]).toEqual([
      [inText],
      [inTitle],
      [inName],
    ]);
  });

  test('never reuse a deleted id', async () => {
    const { database } = await opened();
    await migrate(database);
    const insert = async () => {
      const now = new Date().toISOString();
      const { id } = await database.db
        .insertInto('instances')
        .values({ started_at: now })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    };
    const first = await insert();
    await sql`delete from instances`.execute(database.db);
    expect(await insert()).toBeGreaterThan(first);
  });

  test('fill in state and position of earlier calls, and the tools of assistants', async () => {
    const { database } = await opened();
    const { db } = database;
    await migrate(database);
    for (const column of ['title', 'server', 'state', 'text_at'])
      await sql`alter table tool_calls drop column ${sql.ref(column)}`.execute(db);
    await sql`alter table assistants drop column tools`.execute(db);
    const at = new Date().toISOString();
    const idOf = async (insert: ReturnType<typeof sql<{ id: number }>>) => {
      const [row] = (await insert.execute(db)).rows;
      if (!row) throw new Error('Nothing was inserted.');
      return row.id;
    };
    const userId = await idOf(sql`insert into users (email, role, status, created_at)
      values ('ada@example.com', 'Admin', 'Active', ${at}) returning id`);
    for (const fields of [
      '{"tools":[{"type":"code_interpreter"}]}',
      '{"tools":[{"type":"file_search"}],"metadata":{"code_interpreter":"no"}}',
    ]) {
      const id = await idOf(sql`insert into assistants
        (user_id, name, description, model, temperature, instructions, is_default, created_at, updated_at)
        values (${userId}, 'Tutor', '', 'gpt-4o', 0.7, '', 0, ${at}, ${at}) returning id`);
      await sql`insert into assistant_api_fields (assistant_id, user_id, fields) values (${id}, ${userId}, ${fields})`.execute(
        db,
      );
    }
    const threadId =
      await idOf(sql`insert into threads (user_id, title, title_source, pinned, archived, created_at, updated_at)
      values (${userId}, '', 'opening', 0, 0, ${at}, ${at}) returning id`);
    const messageId = await idOf(sql`insert into messages
      (user_id, thread_id, position, depth, role, text, reasoning, created_at)
      values (${userId}, ${threadId}, 1, 0, 'assistant', 'Rain 🌧', '', ${at}) returning id`);
    const runId = await idOf(sql`insert into runs (user_id, thread_id, message_id, model, state, instance, created_at)
      values (${userId}, ${threadId}, ${messageId}, 'gpt-4o', 'complete', 1, ${at}) returning id`);
    for (const [position, [kind, output]] of [
      ['file_search', '[]'],
      ['function', 'rain'],
      ['function', null],
    ].entries())
      await sql`insert into tool_calls (run_id, position, user_id, message_id, kind, call_id, name, input, output)
        values (${runId}, ${position}, ${userId}, ${messageId}, ${kind}, ${`call_${position}`}, 'x', '{}', ${output})`.execute(
        db,
      );

    await placeToolCalls(db);
    const calls = await db
      .selectFrom('tool_calls')
      .select(['title', 'server', 'state', 'text_at'])
      .orderBy('position')
      .execute();
    expect(calls).toEqual([
      { title: '', server: null, state: 'done', text_at: 0 },
      { title: '', server: null, state: 'done', text_at: 7 },
      { title: '', server: null, state: 'waiting', text_at: 7 },
    ]);
    const kept = await db.selectFrom('assistants').select('tools').orderBy('id').execute();
    expect(kept).toEqual([{ tools: '{"codeInterpreter":{}}' }, { tools: '{}' }]);
  });
});

test('keeps released migrations unchanged and out of the formatter’s reach', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')) as { files: { includes: string[] } };
  for (const [name, checksum] of Object.entries(released)) {
    expect([name, sha256(readFileSync(join(migrationsFolder, `${name}.ts`), 'utf8'))]).toEqual([name, checksum]);
    expect(files.includes).toContain(`!server/src/db/migrations/${name}.ts`);
  }
});
