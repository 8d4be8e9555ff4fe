import { randomBytes } from 'node:crypto';
import { keyFormatMessage } from '@roster/contracts/account';
import { describe, expect, test } from 'vitest';
import type { KeyCheck } from '#server/provider/provider';
import { Secret } from '#server/security/secret';
import { createVault } from '#server/security/vault';
import { providerKeyService } from './provider-key.ts';
import type { KeyRepository } from './repository.ts';

/** OpenAI itself is not there for tests: the rules on its keys are shown on the service, with nothing behind it. */
function serviceFor(isOpenAi: boolean) {
  const asked: string[] = [];
  const keys: KeyRepository = {
    find: async () => undefined,
    dataKey: async (_userId, fresh) => fresh,
    replaceDataKey: async (_userId, _old, fresh) => fresh,
    save: async () => undefined,
    note: async () => undefined,
    delete: async () => false,
  };
  const provider = {
    async checkKey(apiKey: Secret): Promise<KeyCheck> {
      asked.push(apiKey.reveal());
      return { result: 'works' };
    },
  };
  const vault = createVault([{ id: 'test', key: new Secret(randomBytes(32)) }]);
  const config = { provider: { baseUrl: 'https://provider.example/v1', name: 'Provider', isOpenAi } };
  return { asked, service: providerKeyService({ keys, vault, provider, config }) };
}

describe('the form of a key', () => {
  test.each([
    `sk-${'a'.repeat(32)}`,
    `sk-proj-${'A-_9'.repeat(40)}`,
    `sk-svcacct-${'b'.repeat(40)}`,
    `sk-None-${'c'.repeat(30)}`,
    `sk-${'d'.repeat(509)}`,
  ])('at OpenAI may be %s', async (key) => {
    const { asked, service } = serviceFor(true);
    await service.save(1, key);
    expect(asked).toEqual([key]);
  });

  test.each([
    [`sk-${'a'.repeat(31)}`, keyFormatMessage],
    [`pk-${'a'.repeat(40)}`, keyFormatMessage],
    [`sk-${'a'.repeat(40)}!`, keyFormatMessage],
    [`sk-${'a'.repeat(510)}`, keyFormatMessage],
    [`sk-admin-${'a'.repeat(40)}`, expect.stringContaining('administration key')],
    [`sk-ant-${'a'.repeat(40)}`, expect.stringContaining('Anthropic')],
    [`sk-or-${'a'.repeat(40)}`, expect.stringContaining('OpenRouter')],
  ])('at OpenAI may not be %s, and nothing is sent', async (key, message) => {
    const { asked, service } = serviceFor(true);
    const refused = { code: 'invalid_input', message, fields: { apiKey: message } };
    await expect(service.save(1, key)).rejects.toMatchObject(refused);
    await expect(service.typedOrSaved(1, key)).rejects.toMatchObject(refused);
    expect(asked).toEqual([]);
  });

  test('elsewhere is the provider’s affair', async () => {
    const { asked, service } = serviceFor(false);
    for (const key of ['local', 'sk-ant-x', 'gsk_123']) await service.save(1, key);
    expect(asked).toHaveLength(3);
  });
});
