import { wellKnownModels } from '@roster/contracts/models/models';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadCatalogue } from '#server/provider/catalogue/catalogue';
import type { ConnectionRow } from '#server/provider/connections/connection-repository';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Provider, ProviderModel } from '#server/provider/provider';
import { ProviderError } from '#server/provider/transport/error';
import { Secret } from '#server/security/secret';
import { modelService } from './service.ts';

const rest = {
  connections: { listUsable: async () => [], findUsable: async () => undefined },
  tunedModels: async () => [],
  remember: async () => undefined,
  now: () => Date.parse('2026-11-24T12:00:00Z'),
};

/** The simulator cannot serve OpenAI’s own mixed list, so its rules are tested on the service. */
const lacksTool = () => null;

function serviceFor(models: ProviderModel[] | Error, { isOpenAi = true, defaultModel = 'gpt-4o' } = {}) {
  const keys: Pick<ProviderKeyService, 'openFree'> = { openFree: async () => new Secret('sk-test') };
  const provider: Pick<Provider, 'models' | 'lacksTool'> = {
    lacksTool,
    models: async () => {
      if (models instanceof Error) throw models;
      return models;
    },
  };
  const config = { provider: { baseUrl: '', name: '', isOpenAi }, defaultModel };
  return modelService({
    provider,
    keys,
    catalogue: loadCatalogue(),
    config,
    ...rest,
  });
}

const connection: ConnectionRow = {
  ...{ id: 7, user_id: 1, preset: 'ollama', name: 'Home', name_key: 'home', base_url: 'http://home.example/v1' },
  ...{ key_sealed: null, key_last4: null, api: 'auto', headers_sealed: null, header_names: '[]' },
  ...{ first_token_seconds: null, is_paused: 0, position: 0 },
  ...{ notice: null, checks: '[]', checked_at: null, created_at: '2026-11-24' },
};

/** The installation’s provider has `gpt-4o`. */
function serviceWithConnection(listed: () => Promise<ProviderModel[]>, key = () => 'home') {
  return modelService({
    ...rest,
    connections: { listUsable: async () => [connection], findUsable: async () => connection },
    keys: { openFree: async (_userId, model = null) => new Secret(model === null ? 'own' : key()) },
    provider: {
      lacksTool,
      models: async (apiKey) => (apiKey.reveal() === 'own' ? plain('gpt-4o') : listed()),
    },
    catalogue: loadCatalogue(),
    config: { provider: { baseUrl: '', name: '', isOpenAi: true }, defaultModel: 'gpt-4o' },
  });
}

const dayIn = (days: number) => new Date(rest.now() + days * 86_400_000).toISOString().slice(0, 10);
const plain = (...ids: string[]): ProviderModel[] => ids.map((id) => ({ id, shutdownDate: null, chats: null }));
const ids = async (service: ReturnType<typeof serviceFor>) => (await service.list(1)).models.map(({ id }) => id);

describe('the list of models', () => {
  test('omits OpenAI models that cannot chat', async () => {
    const chat = ['gpt-5.5', 'gpt-4o', 'o3', 'chat-latest', 'ft:gpt-4o-mini-2024-07-18:me::abc'];
    const other = [
      'gpt-realtime-2',
      'gpt-image-2',
      'gpt-audio-2',
      'gpt-4o-transcribe',
      'gpt-5-search-api',
      'gpt-5.3-codex',
      'gpt-3.5-turbo-instruct',
      'text-embedding-3-small',
      'omni-moderation-latest',
      'whisper-1',
      'tts-1-hd',
      'sora-2',
    ];
    expect((await ids(serviceFor(plain(...other, ...chat)))).toSorted()).toEqual(chat.toSorted());
  });

  test('omits models elsewhere whose kind or name indicates another purpose', async () => {
    const chat = [
      'meta-llama/Llama-3.3-70B-Instruct-Turbo',
      'deepseek-r1:8b',
      'snowflake-arctic-instruct',
      'qwen2.5-vl-72b-instruct',
      'codestral-latest',
      'gpt-4o-search-preview',
      'llava:13b',
      'e5-chat',
      'house-model',
    ];
    const other = [
      'nomic-embed-text:latest',
      'text-embedding-004',
      'BAAI/bge-m3',
      'intfloat/e5-mistral-7b-instruct',
      'whisper-large-v3',
      'playai-tts',
      'black-forest-labs/FLUX.1-schnell',
      'stabilityai/stable-diffusion-xl',
      'dall-e-3',
      'veo-3.0',
      'omni-moderation-latest',
      'meta-llama/Llama-Guard-4-12B',
      'rerank-v3.5',
    ];
    const listed = (id: string, chats: boolean): ProviderModel => ({ id, shutdownDate: null, chats });
    const list = [...plain(...other, ...chat), listed('flux-the-talker', true), listed('quiet', false)];
    const service = serviceFor(list, { isOpenAi: false });
    expect((await ids(service)).toSorted()).toEqual([...chat, 'flux-the-talker'].toSorted());
    // Names are only a hint: a model that is not offered can still be entered.
    expect((await service.usable(1, ['BAAI/bge-m3']))?.has('BAAI/bge-m3')).toBe(true);
    expect(await ids(serviceFor(plain('flux-1', 'whisper-1'), { isOpenAi: false }))).toHaveLength(2);
  });

  test('sorts the user’s fine-tuned models first, then the catalogue’s order, then by name', async () => {
    const { models } = await serviceFor(
      plain('zeta', 'gpt-4o', 'alpha', 'ft:gpt-4o-mini-2024-07-18:me::abc', 'gpt-5.5'),
      { isOpenAi: false },
    ).list(1);
    const order = models.map(({ id }) => id);
    expect([order[0], models[0]?.tuned]).toEqual(['ft:gpt-4o-mini-2024-07-18:me::abc', true]);
    expect(order.slice(-2)).toEqual(['alpha', 'zeta']);
    const { order: place } = loadCatalogue();
    expect(order.slice(1, 3)).toEqual(['gpt-4o', 'gpt-5.5'].toSorted((a, b) => place(a) - place(b)));
  });

  test('prefers the provider’s shutdown date to the catalogue’s', async () => {
    const listed = (shutdownDate: string | null) => ({ id: 'gpt-4o', shutdownDate, chats: null });
    const lifecycle = async (date: string) => (await serviceFor([listed(date)]).list(1)).models[0]?.lifecycle;
    expect(await lifecycle(dayIn(-1))).toBe('gone');
    expect(await lifecycle(dayIn(0))).toBe('gone');
    expect(await lifecycle(dayIn(1))).toBe('ending');
    expect(await lifecycle(dayIn(90))).toBe('ending');
    expect(await lifecycle(dayIn(91))).toBe('current');
  });

  test('defaults to the default model if the key has it, else the first that is not retired', async () => {
    const chosen = async (...listed: ProviderModel[]) => (await serviceFor(listed).list(1)).defaultModel;
    expect(await chosen(...plain('gpt-5.5'), { id: 'gpt-4o', shutdownDate: dayIn(91), chats: null })).toBe('gpt-4o');
    expect(await chosen(...plain('gpt-5.5'))).toBe('gpt-5.5');
    const retired = { id: 'gpt-4o', shutdownDate: '2020-01-01', chats: null };
    expect(await chosen(retired, ...plain('gpt-5.5'))).toBe('gpt-5.5');
    expect(await chosen()).toBe('gpt-4o');
  });

  test('replaces a default model that is retired within 90 days by its successor', async () => {
    const ending = { id: 'gpt-4o', shutdownDate: dayIn(90), chats: null };
    const { successor } = loadCatalogue();
    const next = successor('gpt-4o') ?? '';
    const chosen = async (...listed: ProviderModel[]) => {
      const service = serviceFor(listed);
      const { defaultModel } = await service.list(1);
      expect(await service.defaultModel(1)).toBe(defaultModel);
      return defaultModel;
    };
    expect(await chosen(ending, ...plain('gpt-5.5', next))).toBe(next);
    expect(await chosen({ ...ending, shutdownDate: dayIn(91) }, ...plain('gpt-5.5', next))).toBe('gpt-4o');
    expect(await chosen(ending, ...plain('gpt-5.5'))).toBe('gpt-5.5');
    expect(await chosen(ending, { id: next, shutdownDate: dayIn(3), chats: null })).toBe('gpt-4o');
    expect(await chosen({ ...ending, shutdownDate: dayIn(0) }, { id: next, shutdownDate: dayIn(3), chats: null })).toBe(
      next,
    );
  });

  test('has no price if the catalogue has none', async () => {
    const { models } = await serviceFor(plain('house-model'), { isOpenAi: false }).list(1);
    expect(models[0]).toMatchObject({ price: null, temperature: 'unknown', efforts: [], contextTokens: null });
  });

  test('restricts nothing while it is unknown', async () => {
    const failing = serviceFor(new ProviderError('provider_unreachable', 'The provider could not be reached.'));
    expect(await failing.usable(1, ['gpt-4o'])).toBeNull();
    expect((await failing.list(1)).notice).toBe('The provider could not be reached.');
    const usable = await serviceFor(plain('gpt-4o')).usable(1, ['gpt-4o', 'gpt-5']);
    expect([usable?.has('gpt-4o'), usable?.has('gpt-5')]).toEqual([true, false]);
  });

  test('comes in time although a connection hangs, which then has the models of the last time', async () => {
    const home = { key: 'home', hangs: false };
    const asked: string[] = [];
    const service = serviceWithConnection(
      async () => {
        asked.push(home.key);
        return home.hangs ? new Promise(() => undefined) : plain('llama3.2');
      },
      () => home.key,
    );
    const [before] = (await service.list(1, 50)).connections;
    expect(before).toMatchObject({ name: 'Home', notice: null, models: [{ id: '@7/llama3.2' }] });
    Object.assign(home, { key: 'a new key', hangs: true });
    // A model of another provider is checked without asking it.
    const usable = await service.usable(1, ['gpt-4o', 'gpt-5']);
    expect([usable?.has('gpt-4o'), usable?.has('gpt-5')]).toEqual([true, false]);
    expect(asked).toEqual(['home']);
    const { models, connections } = await service.list(1, 50);
    expect(models.map(({ id }) => id)).toEqual(['gpt-4o']);
    expect(connections[0]).toMatchObject({
      notice: 'The provider did not answer in time.',
      models: [{ id: '@7/llama3.2' }],
    });
  });

  test('waits once for a connection that hangs, and has its list as soon as it is back', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const home = Promise.withResolvers<ProviderModel[]>();
    const service = serviceWithConnection(() => home.promise);
    const listedAfter = async (ms: number) => {
      const list = service.list(1);
      let isListed = false;
      void list.then(() => {
        isListed = true;
      });
      await vi.advanceTimersByTimeAsync(ms - 1);
      expect(isListed).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      return (await list).connections[0];
    };
    const missing = { notice: 'The provider did not answer in time.', models: [] };
    expect(await listedAfter(3_000)).toMatchObject(missing);
    expect(await listedAfter(500)).toMatchObject(missing);
    home.resolve(plain('llama3.2'));
    expect((await service.list(1)).connections[0]).toMatchObject({ notice: null, models: [{ id: '@7/llama3.2' }] });
  });

  test('offers no OpenAI models in place of another provider’s unreadable list', async () => {
    const error = new ProviderError('provider_unavailable', 'The provider’s list of models could not be read.');
    expect(await serviceFor(error, { isOpenAi: false }).list(1)).toMatchObject({ source: 'unknown', models: [] });
    expect(await ids(serviceFor(error))).toEqual([...wellKnownModels]);
  });

  test('is not taken for a new key’s if the key changes during the request', async () => {
    const answers = [plain('of-the-old-key'), plain('of-the-new-key')];
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const saved = { key: 'sk-old' };
    const service = modelService({
      keys: { openFree: async () => new Secret(saved.key) },
      provider: {
        lacksTool,
        models: async () => {
          const list = answers.shift() ?? [];
          if (answers.length === 1) await held;
          return list;
        },
      },
      catalogue: loadCatalogue(),
      config: { provider: { baseUrl: '', name: '', isOpenAi: false }, defaultModel: 'gpt-4o' },
      ...rest,
    });
    const old = ids(service);
    await new Promise(setImmediate);
    saved.key = 'sk-new';
    service.forget(1);
    release();
    expect(await old).toEqual(['of-the-old-key']);
    expect(await ids(service)).toEqual(['of-the-new-key']);
  });

  test('is requested again after a failure', async () => {
    const answers = [new ProviderError('rate_limited', 'Too fast.'), plain('gpt-4o')];
    const service = modelService({
      keys: { openFree: async () => new Secret('sk-test') },
      provider: {
        lacksTool,
        models: async () => {
          const answer = answers.shift() ?? [];
          if (answer instanceof Error) throw answer;
          return answer;
        },
      },
      catalogue: loadCatalogue(),
      config: { provider: { baseUrl: '', name: '', isOpenAi: false }, defaultModel: 'gpt-4o' },
      ...rest,
    });
    expect(await service.usable(1, ['gpt-4o'])).toBeNull();
    expect((await service.usable(1, ['gpt-4o']))?.has('gpt-4o')).toBe(true);
  });

  test('fails as a whole on an internal error', async () => {
    await expect(serviceFor(new TypeError('a bug')).list(1)).rejects.toThrow('a bug');
  });
});
