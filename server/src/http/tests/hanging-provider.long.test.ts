import { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startApp, type TestApp } from '#server/testing/app';
import { createAssistant, draft } from '#server/testing/assistants';
import { ask, clientId, messageOf, newThread, sendMessage } from '#server/testing/chat';
import { askPrompt, newComparison } from '#server/testing/comparisons';
import { withDatabase } from '#server/testing/database';
import { readEvents } from '#server/testing/events';
import { withFault } from '#server/testing/faults';
import { upload, uploaded } from '#server/testing/files';
import {
  createRunningJob,
  createTrainedJob,
  draft as jobDraft,
  quick,
  trainingFile,
} from '#server/testing/fine-tuning';
import type { HttpClient } from '#server/testing/http-client';
import { ownTime } from '#server/testing/process-clock';
import { until } from '#server/testing/until';
import { fileClient } from '#server/testing/vector-stores';

/** Allows for a busy machine; a hanging call would take a minute. */
const aFewSeconds = 12_000;
const keyOf = (name: string) => `sk-${name}-${'0'.repeat(30)}`;

type Answer = { status: number; body: { code?: string; [name: string]: unknown } };

/** Requests behind buttons. Everything they refer to exists before the provider stops answering. */
async function presses(
  app: TestApp,
  visitor: HttpClient,
  name: string,
): Promise<Record<string, () => Promise<Answer>>> {
  await visitor.post('/api/settings/apikey', { apiKey: keyOf(name) });
  const file = await uploaded(app, visitor, { filename: 'known.txt' });
  const another = await uploaded(app, visitor, { filename: 'another.txt' });
  const training = await trainingFile(app, visitor);
  const assistantId = await createAssistant(visitor, { name: 'Finch' });
  const knowing = await createAssistant(visitor, { name: 'Wren' });
  const threads = [await newThread(visitor), await newThread(visitor)];
  const exchange = await ask(app, visitor, threads[1] ?? 0, 'Hello');
  const model = (await createTrainedJob(app, visitor)).tunedModel;
  const job = await createRunningJob(app, visitor);
  const paused = await createRunningJob(app, visitor);
  const models = (await visitor.get('/api/fine-tuning/models/custom')).body;
  const custom = models.find((one: { model: string }) => one.model === model);
  // A new key invalidates the answers to everything asked with the first one.
  await visitor.post('/api/settings/apikey', { apiKey: keyOf(`${name}2`) });
  const entries = [{ name: 'Brought along', model: 'gpt-4o', instructions: 'Sing.' }];
  return {
    'a first message': () =>
      visitor.post(`/api/threads/${threads[0]}/messages`, { message: 'Is anybody there?', clientId: clientId() }),
    'a new answer': () => visitor.post(`/api/messages/${exchange.answer.id}/regenerate`, { clientId: clientId() }),
    'a conversation with a model': () => visitor.post('/api/threads', { model: 'gpt-5.5' }),
    'a new assistant': () => visitor.post('/api/assistants', draft()),
    'an assistant’s other model': () => visitor.patch(`/api/assistants/${assistantId}`, { model: 'gpt-5.5' }),
    'an assistant’s files': () => visitor.post(`/api/assistants/${knowing}/files`, { fileIds: [file.id] }),
    'a list to import from': () => visitor.post('/api/assistants/fetch-from-openai', {}),
    'an import': () => visitor.post('/api/assistants/import-batch-from-openai', { assistantIds: ['asst_1'] }),
    'an import from a file': () =>
      visitor.post('/api/assistants/import-file', {
        document: { format: 'roster.assistants', version: 1, assistants: entries },
      }),
    'an upload': async () => ({ ...(await upload(app, visitor, { filename: 'new.txt' })) }),
    'a file that is sent again': () => visitor.post(`/api/files/${file.id}/retry`, {}),
    'a deleted file': () => visitor.delete(`/api/files/${another.id}`),
    'a training': () => visitor.post('/api/fine-tuning/jobs', jobDraft(training.id)),
    'trainings to import': () => visitor.post('/api/fine-tuning/jobs/import', {}),
    'a cancelled training': () => visitor.post(`/api/fine-tuning/jobs/${job.id}/cancel`, {}),
    'a paused training': () => visitor.post(`/api/fine-tuning/jobs/${paused.id}/pause`, {}),
    'a deleted model': () => visitor.delete(`/api/fine-tuning/models/custom/${custom.id}`),
    'the models': () => visitor.get('/api/models'),
    'what can be trained': () => visitor.get('/api/fine-tuning/models'),
    'an admin key': () => visitor.post('/api/settings/admin-key', { adminKey: keyOf(`${name}-admin`) }),
  };
}

/** `stored` or the reason; in time. */
async function pressed(press: () => Promise<Answer>) {
  const since = ownTime();
  const { status, body } = await press();
  const took = ownTime() - since;
  return { outcome: status < 300 ? 'stored' : `${status} ${body.code}`, took };
}

describe('provider that accepts requests and never answers', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp('sqlite', quick);
  });
  afterAll(() => app.stop());

  async function stopAll(visitor: HttpClient) {
    const { body } = await visitor.get('/api/threads');
    for (const { runId } of body.items) if (runId !== null) await visitor.post(`/api/runs/${runId}/stop`);
  }

  test('answers every button within seconds: stored, or rejected with a reason', async () => {
    const ada = await app.as('ada');
    const all = await presses(app, ada, 'silent');
    const outcomes: Record<string, string> = {};
    const late: string[] = [];
    await withFault(app, { hang: true }, { key: 'silent' }, async () => {
      await Promise.all(
        Object.entries(all).map(async ([name, press]) => {
          const { outcome, took } = await pressed(press);
          outcomes[name] = outcome;
          if (took > aFewSeconds) late.push(`${name}: ${Math.round(took)} ms`);
        }),
      );
      await stopAll(ada);
      const { id, items } = await newComparison(ada, ['Hello']);
      const compared = await askPrompt(ada, id, items[0]?.id ?? 0);
      outcomes['a comparison'] = compared.status === 202 ? 'stored' : compared.body.code;
      for (const { runId } of [compared.body.candidate, compared.body.baseline])
        await ada.post(`/api/runs/${runId}/stop`);
      // Last, because the requests above use the old key.
      const key = await pressed(() => ada.post('/api/settings/apikey', { apiKey: keyOf('silent3') }));
      outcomes['a key'] = key.outcome;
      if (key.took > aFewSeconds) late.push('a key');
    });
    expect(late).toEqual([]);
    const refused = Object.entries(outcomes).filter(([, outcome]) => outcome !== 'stored');
    expect(Object.fromEntries(refused)).toEqual({
      'a list to import from': '502 provider_failed',
      'an import': '502 provider_failed',
      'trainings to import': '502 provider_failed',
      'a paused training': '502 provider_failed',
      'a deleted model': '502 provider_failed',
    });
  });

  test('answers a message with the default model while the model list hangs', async () => {
    const bob = await app.as('bob');
    await bob.post('/api/settings/apikey', { apiKey: keyOf('nolist') });
    await withFault(app, { hang: true }, { key: 'nolist', path: '/models' }, async () => {
      const threadId = await newThread(bob);
      const { message, run } = await sendMessage(bob, threadId, 'Hello');
      expect(await messageOf(bob, threadId, run.messageId)).toMatchObject({ model: null, parentId: message.id });
      await readEvents(app, bob, run.id);
      const answer = await messageOf(bob, threadId, run.messageId);
      expect(answer).toMatchObject({ model: 'gpt-4o', state: 'complete' });
      expect(answer.usage?.costUsd).toBeGreaterThan(0);
    });
  });

  test('can stop a message at no cost while the model list hangs', async () => {
    const carol = await app.as('carol');
    await carol.post('/api/settings/apikey', { apiKey: keyOf('stopped') });
    await withFault(app, { hang: true }, { key: 'stopped', path: '/models' }, async () => {
      const threadId = await newThread(carol);
      const { run } = await sendMessage(carol, threadId, 'Hello');
      expect((await carol.post(`/api/runs/${run.id}/stop`)).body.state).toBe('stopped');
      const answer = await messageOf(carol, threadId, run.messageId);
      expect(answer).toMatchObject({ model: null, state: 'stopped', usage: null });
    });
  });
});

test('creates, fills, changes and deletes clients’ vector stores while the provider hangs', async () => {
  // A separate app: files are sent two at a time, and would wait for those held above.
  const app = await startApp('sqlite', quick);
  onTestFinished(() => app.stop());
  const dora = await app.as('dora');
  await dora.post('/api/settings/apikey', { apiKey: keyOf('stores') });
  const { client } = await fileClient(app, dora);
  const ids: string[] = [];
  for (const name of ['a.md', 'b.md', 'c.md'])
    ids.push((await client.files.create({ file: await toFile(Buffer.from(name), name), purpose: 'assistants' })).id);
  const [a = '', b = '', c = ''] = ids;
  const late: string[] = [];
  async function inTime<Answer>(what: string, call: Promise<Answer>): Promise<Answer> {
    const since = ownTime();
    const answer = await call;
    if (ownTime() - since > aFewSeconds) late.push(what);
    return answer;
  }
  const { vectorStores: stores } = client;
  const sentOf = () =>
    withDatabase(app, (db) => db.selectFrom('vector_stores').select('id').where('sent_at', 'is not', null).execute());
  await withFault(app, { hang: true }, { key: 'stores', path: '/vector_stores*' }, async () => {
    const store = await inTime('a store', stores.create({ file_ids: [a] }));
    expect(store).toMatchObject({ status: 'in_progress', file_counts: { in_progress: 1 } });
    await until('The provider being asked', async () => (await sentOf()).length > 0);
    const of = { vector_store_id: store.id };
    await inTime('a file', stores.files.create(store.id, { file_id: b }));
    await inTime('a batch', stores.fileBatches.create(store.id, { file_ids: [c] }));
    await inTime('attributes', stores.files.update(b, { ...of, attributes: { of: 'b' } }));
    await inTime('a file taken out', stores.files.delete(a, of));
    await inTime('another name', stores.update(store.id, { name: 'Held' }));
    const newStore = await inTime('another store', stores.create({ file_ids: [a] }));
    await inTime('a deleted store', stores.delete(newStore.id));
    expect(await inTime('a look', stores.retrieve(store.id))).toMatchObject({
      name: 'Held',
      file_counts: { total: 2 },
    });
  });
  expect(late).toEqual([]);
});
