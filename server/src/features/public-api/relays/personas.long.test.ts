import type { Persona } from '@roster/simulator/personas/persona';
import { personas, startPersona } from '@roster/simulator/personas/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import type { HttpClient } from '#server/testing/http-client';
import { recorded } from '#server/testing/responses';

/** The status and the words for a path that a persona does not serve. A page says nothing. */
function refusalOf(persona: Persona, call: string): [status: number, words: string] {
  const { status, body } = persona.error('unknown path', call);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const words = /not found|invalid url|unknown|no static resource|unexpected endpoint/i.exec(text)?.[0] ?? '';
  // LM Studio answers with status 200.
  return [status === 200 ? 502 : status, text.startsWith('<') ? '' : words.toLowerCase()];
}

describe.each(engines)('providers that serve chat alone, on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine, { env: { CONNECTIONS: 'open', PROVIDER_HOSTS_ALLOWED: '127.0.0.1' } });
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  test.each(personas.map((persona) => [persona.id, persona] as const))(
    '%s refuses in its own words',
    async (id, persona) => {
      const server = await startPersona(persona);
      try {
        const draft = { preset: 'other', name: id, baseUrl: server.url, key: `key-of-${'p'.repeat(24)}` };
        expect((await ada.post('/api/connections', draft)).status).toBe(201);
        const { id: tokenId, token } = await newToken(ada, { rights: ['chat'] });
        const model = `${id}/${persona.model}`;
        for (const [path, body] of [
          ['/embeddings', { model, input: 'A' }],
          ['/moderations', { model, input: 'A' }],
          ['/completions', { model, prompt: 'A' }],
          ['/images/generations', { model, prompt: 'A' }],
          ['/audio/speech', { model, input: 'A', voice: 'v' }],
        ] as const) {
          const { status, body: answer } = await callApi(app, token, `/v1${path}`, { method: 'POST', body });
          const [refused, words] = refusalOf(persona, `POST ${persona.path}${path}`);
          expect([status, typeof answer.error.code], `${path}: ${JSON.stringify(answer)}`).toEqual([refused, 'string']);
          expect(answer.error.message.toLowerCase()).toContain(words);
        }
        // A failure without a status may have cost something.
        if (id !== 'lm-studio') expect(await recorded(app, tokenId)).toEqual([]);
      } finally {
        await server.close();
      }
    },
  );
});
