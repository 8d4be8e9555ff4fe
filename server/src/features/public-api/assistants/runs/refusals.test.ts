import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { asksOf, forgetAsks } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';

const quick = { pollIntervalMs: 20 };
const tools = [{ type: 'function' as const, function: { name: 'get_weather' } }];
const saying = (content: string) => ({ messages: [{ role: 'user' as const, content }] });
const alongStore = { tool_resources: { file_search: { vector_stores: [{ metadata: { of: 'nothing' } }] } } };
const budget = { amountUsd: 0.01, warnAt: 0.8, hardStop: true, tz: 'UTC' };
const overQuota = { status: 429, code: 'insufficient_quota', type: 'insufficient_quota' };

describe.each(engines)('refused runs on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  /** A user with a client, an assistant, a thread with an answer, and a run that waits for its function. */
  async function withRuns() {
    const { visitor } = await app.someone();
    const { id: tokenId, token } = await newToken(visitor, { monthlyBudgetUsd: 0.01 });
    const client = new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 });
    const { id: assistant_id } = await client.beta.assistants.create({ model: 'gpt-4o', name: 'Tutor', tools });
    const [{ id: assistantId }] = (await visitor.get('/api/assistants')).body;
    const { thread_id } = await client.beta.threads.createAndRunPoll({ assistant_id, thread: saying('Hello') }, quick);
    const waiting = await client.beta.threads.createAndRunPoll(
      { assistant_id, thread: saying('[[call]] Rain?') },
      quick,
    );
    const outputs = {
      thread_id: waiting.thread_id,
      tool_outputs: [
        { tool_call_id: waiting.required_action?.submit_tool_outputs.tool_calls[0]?.id ?? '', output: 'dry' },
      ],
    };
    return { visitor, tokenId, client, assistant_id, assistantId, thread_id, waiting, outputs };
  }

  /** Everything that a run stores for this user. */
  const stored = (tokenId: number) =>
    withDatabase(app, async (db) => {
      const threads = await db.selectFrom('threads').select('id').where('access_token_id', '=', tokenId).execute();
      const ids = threads.map(({ id }) => id);
      const runs = await db.selectFrom('runs').select(['id', 'state']).where('thread_id', 'in', ids).execute();
      const messages = await db.selectFrom('messages').select('id').where('thread_id', 'in', ids).execute();
      const chains = await db.selectFrom('program_runs').selectAll().where('thread_id', 'in', ids).execute();
      const calls = await db.selectFrom('usage_records').select('id').where('access_token_id', '=', tokenId).execute();
      return { ids, runs, messages, chains, calls };
    });

  test.each(['token', 'assistant', 'person'])(
    'asks nothing and stores nothing over the budget of the %s',
    async (whose) => {
      const { visitor, tokenId, client, assistant_id, assistantId, thread_id, waiting, outputs } = await withRuns();
      const limited = { ...budget, assistantId: whose === 'assistant' ? assistantId : null };
      if (whose !== 'token') await visitor.post('/api/analytics/budgets', limited);
      await withDatabase(app, async (db) => {
        if (whose === 'token')
          await db.updateTable('access_tokens').set({ spent_usd: 1 }).where('id', '=', tokenId).execute();
        else
          for (const table of ['usage_records', 'usage_by_quarter', 'usage_by_day'] as const)
            await db.updateTable(table).set({ cost_usd: 1 }).execute();
      });
      const before = await stored(tokenId);
      await forgetAsks(app);
      const { runs, createAndRun } = client.beta.threads;
      const more = saying('More');
      const thread = { ...more, ...alongStore };
      await expect(createAndRun.call(client.beta.threads, { assistant_id, thread })).rejects.toMatchObject(overQuota);
      expect((await client.vectorStores.list()).data).toEqual([]);
      const request = { assistant_id, additional_messages: more.messages };
      await expect(runs.create(thread_id, request)).rejects.toMatchObject(overQuota);
      await expect(runs.submitToolOutputs(waiting.id, outputs)).rejects.toMatchObject(overQuota);
      expect(await asksOf(app)).toEqual([]);
      expect(await stored(tokenId)).toEqual(before);
      // A waiting run resumes once there is budget again.
      if (whose === 'token')
        await withDatabase(app, (db) =>
          db.updateTable('access_tokens').set({ spent_usd: 0 }).where('id', '=', tokenId).execute(),
        );
      else
        for (const { id } of (await visitor.get('/api/analytics/budgets')).body)
          await visitor.delete(`/api/analytics/budgets/${id}`);
      const ended = await runs.submitToolOutputsAndPoll(waiting.id, outputs, quick);
      expect(ended.status).toBe('completed');
    },
  );

  test('asks nothing over the budget of the project that its thread was moved to', async () => {
    const { visitor, tokenId, client, assistant_id, thread_id, waiting, outputs } = await withRuns();
    const { id: projectId } = (await visitor.post('/api/projects', { name: 'Shop' })).body;
    const { ids } = await stored(tokenId);
    expect((await visitor.post('/api/projects/move', { ids, projectId })).body.changed).toHaveLength(2);
    const limited = { projectId, amountUsd: 0.01, hardStop: true };
    const { body: saved } = await visitor.post('/api/analytics/project-budgets', limited);
    await withDatabase(app, (db) =>
      db.updateTable('usage_records').set({ cost_usd: 1 }).where('thread_id', 'in', ids).execute(),
    );
    const before = await stored(tokenId);
    await forgetAsks(app);
    const { runs } = client.beta.threads;
    await expect(runs.create(thread_id, { assistant_id })).rejects.toMatchObject(overQuota);
    await expect(runs.submitToolOutputs(waiting.id, outputs)).rejects.toMatchObject(overQuota);
    expect(await asksOf(app)).toEqual([]);
    expect(await stored(tokenId)).toEqual(before);
    await visitor.delete(`/api/analytics/project-budgets/${saved.id}`);
    const ended = await runs.submitToolOutputsAndPoll(waiting.id, outputs, quick);
    expect(ended.status).toBe('completed');
  });

  test('leaves no thread behind if files or vector stores belong to another user', async () => {
    const [{ tokenId, client, assistant_id }, other] = [await withRuns(), await withRuns()];
    const { id: theirFile } = await other.client.files.create({
      file: await toFile(Buffer.from('a,b'), 'table.csv'),
      purpose: 'assistants',
    });
    const { id: theirStore } = await other.client.vectorStores.create({});
    const before = await stored(tokenId);
    const files = [theirFile, `file-${'0'.repeat(24)}`].map((id) => ({
      ...{ what: 'file', id },
      tool_resources: { code_interpreter: { file_ids: [id] } },
    }));
    const stores = [theirStore, 'vs_nothing'].map((id) => ({
      ...{ what: 'vector store', id },
      tool_resources: { file_search: { vector_store_ids: [id] } },
    }));
    for (const { what, id, tool_resources } of [...files, ...stores])
      await expect(
        client.beta.threads.createAndRun({ assistant_id, thread: { ...saying('Hi'), ...alongStore }, tool_resources }),
      ).rejects.toMatchObject({ status: 404, error: { message: `No ${what} found with id '${id}'.` } });
    expect(await stored(tokenId)).toEqual(before);
    expect((await client.vectorStores.list()).data).toEqual([]);
  });

  test('leaves no new thread behind after any other refusal', async () => {
    const { visitor, tokenId, client, assistant_id } = await withRuns();
    const before = await stored(tokenId);
    const { id: file_id } = await client.files.create({
      file: await toFile(Buffer.from('# No image'), 'notes.md'),
      purpose: 'assistants',
    });
    const noImage = [{ role: 'user' as const, content: [{ type: 'image_file' as const, image_file: { file_id } }] }];
    await expect(
      client.beta.threads.createAndRun({ assistant_id, thread: { messages: noImage, ...alongStore } }),
    ).rejects.toMatchObject({ status: 400, param: 'content' });
    expect((await client.vectorStores.list()).data).toEqual([]);
    await visitor.delete('/api/settings/apikey');
    await expect(client.beta.threads.createAndRun({ assistant_id, thread: saying('Hello') })).rejects.toMatchObject({
      status: 400,
      code: 'no_provider_key',
    });
    expect(await stored(tokenId)).toEqual(before);
  });
});
