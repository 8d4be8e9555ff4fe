import { describe, expect, test } from 'vitest';
import { openDatabase } from '#server/db/connect';
import { type PlacedCall, toolCallRepository, toShownCall } from '#server/features/chat/shared/tool-call-repository';
import { engines, readyDatabase } from '#server/testing/app';

const long = JSON.stringify([{ url: 'https://example.org', title: 'x'.repeat(5_000) }]);
const call = (kind: PlacedCall['kind']): PlacedCall => ({
  kind,
  callId: kind,
  name: kind,
  title: '',
  server: null,
  state: 'done',
  input: '[]',
  output: long,
  at: 0,
});
const calls = [call('web_search'), call('file_search')];
const expected = [long, `${long.slice(0, 4_000)}…`];

describe.each(engines)('calls shown with an answer on %s', (engine) => {
  test('contain the start of each output, but all sources of a web search', async () => {
    const { dataDir, url, remove } = await readyDatabase(engine);
    const database = openDatabase(url, dataDir);
    const { db } = database;
    const at = new Date().toISOString();
    const { id: userId } = await db
      .insertInto('users')
      .values({ email: 'ada@example.com', role: 'Admin', status: 'Active', created_at: at })
      .returning('id')
      .executeTakeFirstOrThrow();
    const times = { created_at: at, updated_at: at };
    const { id: thread_id } = await db
      .insertInto('threads')
      .values({ user_id: userId, title: '', title_source: 'opening', pinned: 0, archived: 0, ...times })
      .returning('id')
      .executeTakeFirstOrThrow();
    const place = { thread_id, position: 1, depth: 0, role: 'assistant', text: '', reasoning: '' } as const;
    const { id: messageId } = await db
      .insertInto('messages')
      .values({ user_id: userId, ...place, created_at: at })
      .returning('id')
      .executeTakeFirstOrThrow();
    const run = { thread_id, message_id: messageId, model: 'gpt-4o', state: 'complete', instance: 1 } as const;
    const { id: runId } = await db
      .insertInto('runs')
      .values({ user_id: userId, ...run, created_at: at })
      .returning('id')
      .executeTakeFirstOrThrow();
    await toolCallRepository(db).insert({ userId, runId, messageId }, calls, { stored: new Set(), echoes: new Map() });
    const shown = await toolCallRepository(db).shown(userId, [messageId]);
    expect(shown.map(({ output }) => output)).toEqual(expected);
    expect(calls.map((one) => toShownCall(one).output)).toEqual(expected);
    await database.close();
    await remove();
  });
});
