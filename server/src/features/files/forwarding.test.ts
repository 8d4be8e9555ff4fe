import type { Fault } from '@roster/simulator/faults/fault';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { askedOf, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { withFault } from '#server/testing/faults';
import { atProvider, download, fileOf, someBytes, untilCopy, upload, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';

describe.each(engines)('forwarding on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  /** Each user has a separate account at the provider. */
  const keyOf = (number: number) => `sk-person-${engine}-${number}-${'k'.repeat(32)}`;
  const save = (visitor: HttpClient, apiKey: string) => visitor.post('/api/settings/apikey', { apiKey });
  async function someone() {
    const visitor = await app.as(`person${++people}`);
    const key = keyOf(people);
    await save(visitor, key);
    return { visitor, key };
  }
  const failing = { method: 'POST', path: '/files' };
  /** Makes the next try due now. */
  const hurry = () =>
    withDatabase(app, (db) =>
      db
        .updateTable('jobs')
        .set({ run_at: new Date(0).toISOString() })
        .execute(),
    );
  const posts = async () => {
    const answer = await request(`${app.provider.origin}/__simulator/requests`);
    const { requests } = JSON.parse(await answer.body.text());
    return requests.filter((one: { method: string; path: string }) => one.method === 'POST' && one.path === '/files');
  };

  test('sends each file to the provider, with its name, its purpose and all its bytes', async () => {
    const { visitor, key } = await someone();
    const content = someBytes(2_000_000);
    const line = '{"messages":[]}\n';
    const first = await uploaded(app, visitor, { filename: 'Grüße "1".pdf', content, purpose: 'user_data' });
    const second = await uploaded(app, visitor, { filename: 'train.JSONL', content: line, purpose: 'fine-tune' });
    expect(['queued', 'forwarding', 'ready']).toContain(first.provider.state);
    for (const { id } of [first, second]) expect((await untilCopy(visitor, id, 'ready')).provider.error).toBeNull();
    const sent = await atProvider(app, key);
    expect(sent.map(({ filename, bytes, purpose }) => [filename, bytes, purpose]).toSorted()).toEqual([
      [first.filename.replaceAll('"', '%22'), 2_000_000, 'user_data'],
      ['train.JSONL', line.length, 'fine-tune'],
    ]);
    const trained = sent.find(({ purpose }) => purpose === 'fine-tune');
    const copy = await request(`${app.provider.url}/files/${trained?.id}/content`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await copy.body.text()).toBe(line);
  });

  test('waits for a key, and starts once one is saved', async () => {
    const visitor = await app.as(`person${++people}`);
    const { id, provider } = await uploaded(app, visitor);
    expect(provider).toEqual({ state: 'waiting_for_key', error: null });
    expect((await visitor.post(`/api/files/${id}/retry`)).body.code).toBe('no_api_key');
    await save(visitor, keyOf(people));
    await untilCopy(visitor, id, 'ready');
    expect(await atProvider(app, keyOf(people))).toHaveLength(1);
  });

  test.each<[string, Fault, RegExp]>([
    ['limits requests', { fail: 'rate_limit', retryAfter: 2 }, /limiting requests/],
    ['is in trouble', { fail: 'server_error' }, /having trouble/],
    ['answers with a proxy’s page', { fail: 'html' }, /having trouble/],
    ['breaks off', { disconnect: true }, /could not be reached/],
  ])('continues after the provider %s, and says meanwhile why it waits', async (_what, fault, message) => {
    const { visitor, key } = await someone();
    const { id } = await withFault(app, fault, failing, async () => {
      const file = await uploaded(app, visitor);
      await until('The words', async () => message.test((await fileOf(visitor, file.id))?.provider.error ?? ''));
      expect((await fileOf(visitor, file.id))?.provider.state).toBe('queued');
      return file;
    });
    await hurry();
    await until('Its arrival', async () => {
      await hurry();
      return (await fileOf(visitor, id))?.provider.state === 'ready';
    });
    expect(await atProvider(app, key)).toHaveLength(1);
  });

  test.each<[string, Fault, RegExp]>([
    ['rejects the key', { fail: 'invalid_api_key' }, /^The provider rejected the API key\./],
    ['misses a permission of the key', { fail: 'missing_scopes' }, /lacks a permission/],
    [
      'refuses the file',
      { status: 400, error: { message: 'No sk-secretsecretsecret here' } },
      /refused the request\. No sk-… here/,
    ],
  ])('stops if the provider %s, and sends it on a retry', async (_what, fault, message) => {
    const { visitor, key } = await someone();
    const { id } = await withFault(app, fault, failing, async () => {
      const file = await uploaded(app, visitor);
      const failed = await untilCopy(visitor, file.id, 'failed');
      expect(failed.provider.error).toMatch(message);
      return file;
    });
    expect((await download(app, visitor, id)).bytes.toString()).toBe('Hello');
    expect(await atProvider(app, key)).toEqual([]);
    expect((await visitor.post(`/api/files/${id}/retry`)).status).toBe(200);
    await untilCopy(visitor, id, 'ready');
    expect(await atProvider(app, key)).toHaveLength(1);
  });

  test('starts again with the next key after failing with one', async () => {
    const { visitor } = await someone();
    const { id } = await withFault(app, { fail: 'invalid_api_key' }, failing, async () => {
      const file = await uploaded(app, visitor);
      await untilCopy(visitor, file.id, 'failed');
      return file;
    });
    expect((await visitor.get('/api/user/config')).body.apiKeyVerified).toBe(false);
    await save(visitor, keyOf(9_000 + people));
    await untilCopy(visitor, id, 'ready');
    expect(await atProvider(app, keyOf(9_000 + people))).toHaveLength(1);
  });

  test('follows a key to another account at the provider', async () => {
    const { visitor } = await someone();
    const { id } = await uploaded(app, visitor);
    await untilCopy(visitor, id, 'ready');
    const elsewhere = keyOf(8_000 + people);
    await save(visitor, elsewhere);
    await until('The copy in the other account', async () => (await atProvider(app, elsewhere)).length === 1);
    await untilCopy(visitor, id, 'ready');
  });

  test('does not send a file twice if only the answer was lost', async () => {
    const { visitor, key } = await someone();
    const { id } = await uploaded(app, visitor, { filename: 'on "ce".txt' });
    await untilCopy(visitor, id, 'ready');
    const [there] = await atProvider(app, key);
    // State left by a process that is killed after the provider takes the file, before its answer.
    await withDatabase(app, (db) =>
      db
        .updateTable('provider_copies')
        .set({ state: 'failed', provider_file_id: null, sent_at: new Date().toISOString() })
        .where('file_id', '=', id)
        .execute(),
    );
    const before = (await posts()).length;
    await visitor.post(`/api/files/${id}/retry`);
    await untilCopy(visitor, id, 'ready');
    expect((await posts()).length).toBe(before);
    expect(await atProvider(app, key)).toEqual([there]);
    await visitor.delete(`/api/files/${id}`);
    expect(await atProvider(app, key)).toEqual([]);
  });

  test('takes no other file for the one whose answer was lost', async () => {
    const { visitor, key } = await someone();
    const files = [];
    for (const content of ['one', 'two']) files.push(await uploaded(app, visitor, { filename: 'same.txt', content }));
    for (const { id } of files) await untilCopy(visitor, id, 'ready');
    await withDatabase(app, (db) =>
      db
        .updateTable('provider_copies')
        .set({ state: 'failed', provider_file_id: null, sent_at: new Date().toISOString() })
        .where('filename', '=', 'same.txt')
        .execute(),
    );
    for (const { id } of files) {
      await visitor.post(`/api/files/${id}/retry`);
      await untilCopy(visitor, id, 'ready');
    }
    const rows = await withDatabase(app, (db) =>
      db.selectFrom('provider_copies').select('provider_file_id').where('filename', '=', 'same.txt').execute(),
    );
    expect(new Set(rows.map(({ provider_file_id }) => provider_file_id)).size).toBe(2);
    // The first two cannot be told apart, so each was sent again.
    expect(await atProvider(app, key)).toHaveLength(4);
  });

  test('continues after a restart in the middle', async () => {
    const { visitor, key } = await someone();
    const { id } = await uploaded(app, visitor);
    await untilCopy(visitor, id, 'ready');
    await withDatabase(app, (db) =>
      db
        .updateTable('provider_copies')
        .set({ state: 'forwarding', instance: 0, provider_file_id: null, sent_at: new Date().toISOString() })
        .where('file_id', '=', id)
        .execute(),
    );
    await app.restart();
    await untilCopy(visitor, id, 'ready');
    expect(await atProvider(app, key)).toHaveLength(1);
  });

  test('is undone by deleting', async () => {
    const { visitor, key } = await someone();
    const { id } = await uploaded(app, visitor);
    await untilCopy(visitor, id, 'ready');
    expect((await visitor.delete(`/api/files/${id}`)).body).toMatchObject({ provider: 'removed', message: null });
    expect(await atProvider(app, key)).toEqual([]);
    expect((await visitor.get('/api/files/removals')).body).toEqual([]);
  });

  test('is undone later if the provider is down, and says so', async () => {
    const { visitor, key } = await someone();
    const other = await app.as(`person${++people}`);
    const { id } = await uploaded(app, visitor, { filename: 'gone.txt' });
    await untilCopy(visitor, id, 'ready');
    await withFault(app, { disconnect: true }, { method: 'DELETE' }, async () => {
      const { status, body } = await visitor.delete(`/api/files/${id}`);
      expect([status, body]).toEqual([
        200,
        {
          id,
          filename: 'gone.txt',
          provider: 'removing',
          message: 'The provider could not be reached. Roster keeps trying.',
        },
      ]);
      expect((await visitor.get('/api/files')).body).toEqual([]);
      expect((await visitor.get('/api/files/removals')).body).toMatchObject([
        { filename: 'gone.txt', error: 'The provider could not be reached.' },
      ]);
      expect((await other.get('/api/files/removals')).body).toEqual([]);
    });
    expect(await atProvider(app, key)).toHaveLength(1);
    await until('The removal', async () => {
      await hurry();
      return (await visitor.get('/api/files/removals')).body.length === 0;
    });
    expect(await atProvider(app, key)).toEqual([]);
  });

  test('asks once to undo it while its user waits', async () => {
    const { visitor } = await someone();
    const { id } = await uploaded(app, visitor);
    await untilCopy(visitor, id, 'ready');
    const removals = async () => (await askedOf(app)).filter(({ method }) => method === 'DELETE').length;
    const before = await removals();
    await withFault(app, { delayMs: 500 }, { method: 'DELETE' }, async () => {
      expect((await visitor.delete(`/api/files/${id}`)).body.provider).toBe('removed');
    });
    expect(await removals()).toBe(before + 1);
  });

  test('is undone once there is a key again', async () => {
    const { visitor, key } = await someone();
    const { id } = await uploaded(app, visitor);
    await untilCopy(visitor, id, 'ready');
    await visitor.delete('/api/settings/apikey');
    const { body } = await visitor.delete(`/api/files/${id}`);
    expect(body.provider).toBe('removing');
    expect(body.message).toMatch(/^Its copy at OpenAI will be removed once you save a working API key\./);
    await save(visitor, key);
    await until('The removal', async () => (await visitor.get('/api/files/removals')).body.length === 0);
    expect(await atProvider(app, key)).toEqual([]);
  });
});

test('reports a provider without files, and keeps the file here', async () => {
  const app = await startApp('sqlite', { simulator: { without: ['files'] } });
  try {
    const visitor = await app.withKey('ada');
    const { body } = await upload(app, visitor);
    const file = await untilCopy(visitor, body.id, 'not_served');
    expect(file.provider.error).toBe(
      'OpenAI does not keep files. The file stays in Roster, and you can download it here.',
    );
    expect((await download(app, visitor, body.id)).bytes.toString()).toBe('Hello');
    expect((await visitor.delete(`/api/files/${body.id}`)).body.provider).toBe('removed');
  } finally {
    await app.stop();
  }
});
