import { randomBytes } from 'node:crypto';
import { keyFormatMessage } from '@roster/contracts/account';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#server/db/connect';
import type { KeyCheck } from '#server/provider/key-check';
import { Secret } from '#server/security/secret';
import { createVault } from '#server/security/vault';
import { actor } from '#server/testing/actor';
import { readyDatabase } from '#server/testing/app';
import { providerKeyService } from './provider-key.ts';

const visitor = { userAgent: null, ipAddress: '127.0.0.1' };

const unused = () => Promise.reject(new Error('no connection is opened'));

/** Tests cannot reach OpenAI itself, so the rules for its keys are tested on the service. */
async function serviceFor(isOpenAi: boolean) {
  const checkedKeys: string[] = [];
  const empty = await readyDatabase('sqlite');
  const database = openDatabase(empty.url, empty.dataDir);
  onTestFinished(async () => {
    await database.close();
    await empty.remove();
  });
  const { db } = database;
  const person = { email: 'ada@example.com', role: 'Editor', status: 'Active', created_at: '2026-01-01' } as const;
  const { id } = await db.insertInto('users').values(person).returning('id').executeTakeFirstOrThrow();
  const provider = {
    async checkKey(apiKey: Secret): Promise<KeyCheck> {
      checkedKeys.push(apiKey.reveal());
      return { result: 'works' };
    },
  };
  const vault = createVault([{ id: 'test', key: new Secret(randomBytes(32)) }]);
  const config = { provider: { baseUrl: 'https://provider.example/v1', name: 'Provider', isOpenAi } };
  return {
    checkedKeys,
    id,
    service: providerKeyService({ db, vault, provider, config, openConnection: unused }),
  };
}

describe('the form of a provider key', () => {
  test.each([
    `sk-${'a'.repeat(32)}`,
    `sk-proj-${'A-_9'.repeat(40)}`,
    `sk-svcacct-${'b'.repeat(40)}`,
    `sk-None-${'c'.repeat(30)}`,
    `sk-${'d'.repeat(509)}`,
  ])('accepts %s at OpenAI', async (key) => {
    const { checkedKeys, id, service } = await serviceFor(true);
    await service.save(actor(id), key, visitor);
    expect(checkedKeys).toEqual([key]);
  });

  test.each([
    [`sk-${'a'.repeat(31)}`, keyFormatMessage],
    [`pk-${'a'.repeat(40)}`, keyFormatMessage],
    [`sk-${'a'.repeat(40)}!`, keyFormatMessage],
    [`sk-${'a'.repeat(510)}`, keyFormatMessage],
    [`sk-admin-${'a'.repeat(40)}`, expect.stringContaining('administration key')],
    [`sk-ant-${'a'.repeat(40)}`, expect.stringContaining('Anthropic')],
    [`sk-or-${'a'.repeat(40)}`, expect.stringContaining('OpenRouter')],
  ])('rejects %s at OpenAI, and sends nothing', async (key, message) => {
    const { checkedKeys, id, service } = await serviceFor(true);
    const refused = { code: 'invalid_input', message, fields: { apiKey: message } };
    await expect(service.save(actor(id), key, visitor)).rejects.toMatchObject(refused);
    await expect(service.typedOrSaved(id, key)).rejects.toMatchObject(refused);
    expect(checkedKeys).toEqual([]);
  });

  test('is left to the provider elsewhere', async () => {
    const { checkedKeys, id, service } = await serviceFor(false);
    for (const key of ['local', 'sk-ant-x', 'gsk_123']) await service.save(actor(id), key, visitor);
    expect(checkedKeys).toHaveLength(3);
  });
});
