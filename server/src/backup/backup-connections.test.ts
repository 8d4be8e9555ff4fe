import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { forgeBackup } from '#server/testing/archive';
import { startCapableProvider } from '#server/testing/capable-provider';
import { ask, post } from '#server/testing/chat';
import { openConnections } from '#server/testing/connections';
import type { HttpClient } from '#server/testing/http-client';
import { roster } from '#server/testing/roster';

const key = `sk-connection-${'k'.repeat(32)}`;
const headers = [{ name: 'X-Gate', value: 'gate-0123456789' }];
const variablesOf = ({ dataDir, databaseUrl }: TestApp) => ({
  DATA_DIR: dataDir,
  ...(databaseUrl && { DATABASE_URL: databaseUrl }),
});

async function aProvider() {
  const provider = await startCapableProvider();
  onTestFinished(() => provider.close());
  return provider;
}
const keysSeen = ({ seen }: Awaited<ReturnType<typeof aProvider>>) => seen.map(({ headers }) => headers.authorization);

describe.each(engines)('connections in a backup, on %s', (engine) => {
  /** An installation with a connection and a conversation of it, and its backup. */
  async function backedUp(url: string) {
    const folder = mkdtempSync(join(tmpdir(), 'roster-connections-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const app = await startApp(engine, { env: openConnections });
    onTestFinished(() => app.stop());
    const ada = await app.withKey('ada');
    const { body } = await ada.post('/api/connections', { preset: 'other', name: 'Home', baseUrl: url, key, headers });
    const bare = await ada.post('/api/connections', { preset: 'other', name: 'Bare', baseUrl: url, headers });
    const model = `@${body.id}/talker`;
    const { id: threadId } = (await ada.post('/api/threads', { model })).body;
    expect((await ask(app, ada, threadId, 'Hello')).answer.state).toBe('complete');
    expect((await ada.put('/api/model-choices', { favorites: [model] })).status).toBe(200);
    const backup = join(folder, 'roster.tar');
    expect((await roster(['backup', backup], variablesOf(app))).code).toBe(0);
    return {
      app,
      folder,
      backup,
      connectionId: Number(body.id),
      bareId: Number(bare.body.id),
      threadId: Number(threadId),
      model,
    };
  }

  async function restored({ app }: { app: TestApp }, backup: string): Promise<{ target: TestApp; ada: HttpClient }> {
    const target = await startApp(engine, { env: openConnections });
    onTestFinished(() => target.stop());
    await target.halt();
    rmSync(join(target.dataDir, 'master.key'));
    copyFileSync(join(app.dataDir, 'master.key'), join(target.dataDir, 'master.key'));
    expect(await roster(['restore', backup], variablesOf(target))).toMatchObject({ code: 0 });
    await target.startWith({ PROVIDER_BASE_URL: app.provider.url });
    const ada = target.visitor();
    expect((await ada.post('/api/login', { email: 'ada@example.com', password })).status).toBe(200);
    return { target, ada };
  }

  test('work after a restore, with their keys, models and conversations', async () => {
    const provider = await aProvider();
    const kept = await backedUp(provider.url);
    const { target, ada } = await restored(kept, kept.backup);
    provider.seen.length = 0;
    expect((await ada.get('/api/connections')).body.connections).toMatchObject([
      { id: kept.connectionId, name: 'Home', baseUrl: provider.url, keyLast4: 'kkkk', headerNames: ['X-Gate'] },
      { id: kept.bareId, name: 'Bare', hasKey: false, headerNames: ['X-Gate'] },
    ]);
    expect((await ada.get('/api/model-choices')).body.favorites).toEqual([kept.model]);
    expect((await ask(target, ada, kept.threadId, 'And now?')).answer).toMatchObject({ state: 'complete' });
    const { token } = await newToken(ada, { rights: ['chat'] });
    const body = { model: 'Home/tiny-embed', input: 'A' };
    expect((await callApi(target, token, '/v1/embeddings', { method: 'POST', body })).status).toBe(200);
    expect(new Set(keysSeen(provider))).toEqual(new Set([`Bearer ${key}`]));
    await ada.post(`/api/connections/${kept.bareId}/check`, {});
    expect(new Set(provider.seen.map(({ headers: sent }) => sent['x-gate']))).toEqual(new Set(['gate-0123456789']));
  });

  test('send nothing anywhere if the backup names another address for the key', async () => {
    const [provider, thief] = [await aProvider(), await aProvider()];
    const kept = await backedUp(provider.url);
    const forged = join(kept.folder, 'forged.tar');
    await forgeBackup(kept.backup, forged, (members) =>
      members.map((member) =>
        member.name === 'tables/connections.jsonl'
          ? { ...member, content: Buffer.from(member.content.toString().replaceAll(provider.url, thief.url)) }
          : member,
      ),
    );
    const { target, ada } = await restored(kept, forged);
    provider.seen.length = 0;
    expect((await ada.get('/api/connections')).body.connections).toMatchObject([
      { baseUrl: thief.url },
      { baseUrl: thief.url },
    ]);
    for (const id of [kept.connectionId, kept.bareId])
      expect(await ada.post(`/api/connections/${id}/check`, {})).toMatchObject({
        status: 409,
        body: { code: 'key_unreadable' },
      });
    await ada.get('/api/models');
    expect((await post(ada, kept.threadId, 'Hello')).body.code).toBe('key_unreadable');
    const { token } = await newToken(ada, { rights: ['chat'] });
    const body = { model: 'Home/tiny-embed', input: 'A' };
    const response = await callApi(target, token, '/v1/embeddings', { method: 'POST', body });
    expect([response.status, response.body.error.code]).toEqual([400, 'no_provider_key']);
    expect([provider.seen, thief.seen]).toEqual([[], []]);
  });
});
