import { wellKnownModels } from '@roster/contracts/models/models';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { withFault } from '#server/testing/faults';

type Listed = { id: string; shutdownDate: string | null; lifecycle: string };

describe.each(engines)('models on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    const now = () => Date.parse('2026-12-20T12:00:00Z');
    app = await startApp(engine, { now, simulator: { shutdownDays: 'announced' } });
  });
  afterAll(() => app.stop());

  test('are unknown without a key, and three well-known ones are offered', async () => {
    const { status, body } = await (await app.as('ada')).get('/api/models');
    expect([status, body.source, body.defaultModel]).toEqual([200, 'unknown', 'gpt-4o']);
    expect(body.models.map(({ id }: Listed) => id)).toEqual([...wellKnownModels]);
    expect(body.notice).toBe('Add your API key in Settings first.');
  });

  test('are the key’s own, with price, capabilities and the provider’s shutdown date', async () => {
    const { body } = await (await app.withKey('bob')).get('/api/models');
    expect([body.source, body.notice, body.defaultModel]).toEqual(['provider', null, 'gpt-6.1-terra']);
    const model = body.models.find(({ id }: Listed) => id === 'gpt-4o');
    expect(model).toMatchObject({
      shutdownDate: '2027-01-14',
      price: {
        input: expect.any(Number),
        output: expect.any(Number),
        asOf: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      },
      temperature: 'yes',
      tuned: false,
      goodFor: null,
    });
    const lifecycles = new Map(body.models.map(({ id, lifecycle }: Listed) => [id, lifecycle]));
    expect([lifecycles.get('gpt-4o'), lifecycles.get('gpt-5.1'), lifecycles.get('gpt-6-luna')]).toEqual([
      'ending',
      'current',
      'current',
    ]);
    expect(lifecycles.get('gpt-5') ?? 'gone').toBe('gone');
  });

  test('stay unknown, with the provider’s message, while it cannot be asked', async () => {
    const visitor = await app.withKey('carol');
    const { status, body } = await withFault(app, { fail: 'insufficient_quota' }, { path: '/models' }, () =>
      visitor.get('/api/models'),
    );
    expect([status, body.source]).toEqual([200, 'unknown']);
    expect(body.notice).toContain('no credit');
    expect((await visitor.get('/api/models')).body.source).toBe('provider');
  });

  test('are cached instead of being requested each time', async () => {
    const visitor = await app.withKey('dave');
    await visitor.get('/api/models');
    const again = await withFault(app, { fail: 'invalid_api_key' }, { path: '/models' }, () =>
      visitor.get('/api/models'),
    );
    expect(again.body.source).toBe('provider');
  });
});
