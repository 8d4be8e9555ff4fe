import { describe, expect, test } from 'vitest';
import { bearer, newToken } from '#server/testing/access-tokens';
import { engines, startApp } from '#server/testing/app';
import { forever, startRawProvider } from '#server/testing/raw-provider';
import { until } from '#server/testing/until';

const mebibyte = 1024 * 1024;

describe.each(engines)('endless answers on %s', (engine) => {
  test.each([
    ['JSON', '/v1/embeddings', 'application/json', { model: 'm', input: 'Hello' }],
    ['a sound', '/v1/audio/speech', 'audio/mpeg', { model: 'm', input: 'Hello', voice: 'v' }],
  ])('ends %s without end', async (_, path, type, body) => {
    const provider = await startRawProvider(() => ({
      ...{ headers: { 'content-type': type }, packets: forever(`[${'1'.repeat(mebibyte)}`), everyMs: 0 },
    }));
    const app = await startApp(engine, { env: { PROVIDER_BASE_URL: provider.url } });
    try {
      const { token } = await newToken(await app.withKey('ada'));
      const headers = { ...bearer(token), 'content-type': 'application/json' };
      const answer = await fetch(`${app.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      const read = async () => {
        for await (const chunk of answer.body ?? []) expect(chunk.length).toBeGreaterThan(0);
      };
      await expect(read()).rejects.toThrow();
      await until('The end of the connection', async () => provider.open() === 0);
      expect(provider.sent()).toBeLessThan(320 * mebibyte);
    } finally {
      await app.stop();
      await provider.close();
    }
  });
});
