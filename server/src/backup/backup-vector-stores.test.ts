import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { storesOf } from '#server/testing/knowledge';
import { roster } from '#server/testing/roster';
import { until } from '#server/testing/until';
import { whileIndexing } from '#server/testing/vector-stores';

const quick = { pollIntervalMs: 20 };
const variablesOf = ({ dataDir, databaseUrl }: TestApp) => ({
  DATA_DIR: dataDir,
  ...(databaseUrl && { DATABASE_URL: databaseUrl }),
});

test.each(engines)('searches on %s vector stores with files in them again after a restore', async (engine) => {
  const app = await startApp(engine);
  onTestFinished(() => app.stop());
  const folder = mkdtempSync(join(tmpdir(), 'roster-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clientOf = (url: string, apiKey: string) => new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
  const { visitor, key, email } = await app.someone();
  const client = clientOf(app.url, (await newToken(visitor)).token);
  const file = await client.files.create({ file: await toFile(Buffer.from('a'), 'a.md'), purpose: 'assistants' });
  const store = await client.vectorStores.create({ file_ids: [file.id] });
  await whileIndexing(
    app,
    until('The end of indexing', async () => (await client.vectorStores.retrieve(store.id)).status === 'completed'),
  );
  const tool_resources = { file_search: { vector_store_ids: [store.id] } };
  const settings = { model: 'gpt-4o', tools: [{ type: 'file_search' as const }], tool_resources };
  const { id: assistant_id } = await client.beta.assistants.create(settings);
  const backup = join(folder, 'roster.tar');
  expect((await roster(['backup', backup], variablesOf(app))).code).toBe(0);

  const target = await startApp(engine);
  onTestFinished(() => target.stop());
  await target.halt();
  rmSync(join(target.dataDir, 'master.key'));
  copyFileSync(join(app.dataDir, 'master.key'), join(target.dataDir, 'master.key'));
  expect((await roster(['restore', backup], variablesOf(target))).code).toBe(0);
  await target.startWith({ PROVIDER_BASE_URL: app.provider.url });
  const again = target.visitor();
  expect((await again.post('/api/login', { email, password })).status).toBe(200);
  const restored = clientOf(target.url, (await newToken(again)).token);
  // Under the ids that clients know.
  expect(await restored.vectorStores.retrieve(store.id)).toMatchObject({
    status: 'completed',
    file_counts: { completed: 1 },
  });
  expect((await restored.vectorStores.search(store.id, { query: 'What?' })).data).toMatchObject([{ file_id: file.id }]);
  const thread = { messages: [{ role: 'user' as const, content: 'What?' }] };
  const run = await restored.beta.threads.createAndRunPoll({ assistant_id, thread }, quick);
  expect(run.status).toBe('completed');
  const [message] = (await restored.beta.threads.messages.list(run.thread_id)).data;
  expect(JSON.stringify(message?.content)).toContain(file.id);
  // Nothing was created or filled a second time.
  expect(await storesOf(app, key)).toHaveLength(1);
});
