import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#server/db/connect';
import { noMetrics } from '#server/metrics/metrics';
import { noProxy } from '#server/outbound/proxy';
import { ConnectionKey } from '#server/provider/connections/connection-key';
import { presetOf } from '#server/provider/connections/presets';
import { createProvider } from '#server/provider/create';
import { defaultProviderTimeouts } from '#server/provider/transport/timeouts';
import { readyDatabase } from '#server/testing/app';
import { type Behaviour, startCapableProvider } from '#server/testing/capable-provider';
import { noTracing } from '#server/tracing/tracing';
import { checkAbilities } from './check.ts';
import { findLocalServers } from './local.ts';

async function keyFor(behaviour: Behaviour) {
  const peer = await startCapableProvider(behaviour);
  const empty = await readyDatabase('sqlite');
  const database = openDatabase(empty.url, empty.dataDir);
  const create = (baseUrl: string) =>
    createProvider({
      ...{ db: database.db, times: defaultProviderTimeouts, metrics: noMetrics, tracing: noTracing, proxyFor: noProxy },
      config: { baseUrl, name: 'Peer' },
    });
  const provider = await create(peer.url);
  onTestFinished(async () => {
    await provider.close();
    await database.close();
    await empty.remove();
    await peer.close();
  });
  const target = {
    id: 1,
    name: 'Peer',
    preset: 'other',
    baseUrl: peer.url,
    api: 'chat',
    firstTokenSeconds: null,
  } as const;
  return { peer, create, key: new ConnectionKey('k', { ...target, keyHeader: 'authorization' }, provider) };
}

test('ends a check although the provider hangs, and says that it may be loading', async () => {
  const { key } = await keyFor('hangs');
  const { checks, notice } = await checkAbilities(key, presetOf('other'), undefined, {
    ...{ listMs: 60_000, answerMs: 200, othersMs: 200 },
  });
  expect(new Map(checks.map(({ ability, result }) => [ability, result]))).toEqual(
    new Map([
      ['models', 'works'],
      ...['answer', 'streaming', 'reasoning', 'tools', 'images', 'jsonSchema', 'files', 'embeddings', 'fineTuning'].map(
        (ability) => [ability, 'unknown'] as const,
      ),
    ]),
  );
  expect(notice).toContain('may be loading the model');
});

test('asks for a model to check without a list of models, unless the provider has a usual one', async () => {
  const { key, peer } = await keyFor('able');
  expect((await checkAbilities(key, presetOf('other'), 'named')).checks[1]).toEqual({
    ...{ ability: 'answer', result: 'works', reason: 'named' },
  });
  peer.become('down');
  const { checks } = await checkAbilities(key, presetOf('other'), undefined);
  expect(checks[1]).toMatchObject({ result: 'unknown', reason: expect.stringContaining('Enter a model') });
});

test('finds servers on this machine that answer with models and may be used', async () => {
  const { create, peer } = await keyFor('able');
  const local = (baseUrl: string) => ({ id: 'ollama', name: 'Ollama', baseUrl, hosts: [] }) as const;
  const look = (problem: string | null) =>
    findLocalServers([local(peer.url), local('http://127.0.0.1:1/v1')], {
      addresses: { problemOf: () => problem },
      async open(target, key) {
        const provider = await create(target.baseUrl);
        return { key: new ConnectionKey(key, target, provider), end: () => provider.close() };
      },
    });
  expect(await look(null)).toEqual([{ preset: 'ollama', baseUrl: peer.url, models: 2 }]);
  const before = peer.seen.length;
  expect(await look('not here')).toEqual([]);
  expect(peer.seen).toHaveLength(before);
});
