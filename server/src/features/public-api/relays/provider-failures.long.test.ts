import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bearer, callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { forever, type RawAnswer, startRawProvider } from '#server/testing/raw-provider';
import { recorded } from '#server/testing/responses';
import { until } from '#server/testing/until';

const json = { 'content-type': 'application/json' };
const sound = { 'content-type': 'audio/mpeg' };
const mebibyte = 1024 * 1024;
const page = '<!DOCTYPE html>\n<html><body>Welcome</body></html>\n';
const hasty = { beginsMs: 800, silentMs: 800, wholeMs: 800, answerMs: 1_500 };
const key = `sk-relayed-${'q'.repeat(32)}`;

const bodies: Record<string, object> = {
  '/embeddings': { model: 'm', input: 'Hello' },
  '/moderations': { input: 'Hello' },
  '/completions': { model: 'm', prompt: 'Hello' },
  '/images/generations': { prompt: 'Hello' },
  '/audio/speech': { model: 'm', input: 'Hello', voice: 'v' },
  '/audio/transcriptions': { model: 'm' },
};
const paths = Object.keys(bodies);

/** Failures before the client has got any of the answer. */
const beginnings: [what: string, answer: () => RawAnswer, status: number, code: string][] = [
  ['never answers', () => ({ packets: [], isSilent: true }), 504, 'provider_timeout'],
  ['cuts the connection', () => ({ headers: json, packets: [], after: 'cut' }), 502, 'provider_broke_off'],
  [
    'answers with a page',
    () => ({ headers: { 'content-type': 'text/html' }, packets: [page] }),
    502,
    'provider_broke_off',
  ],
  ['answers with nothing', () => ({ headers: json, packets: [] }), 502, 'provider_broke_off'],
  ['answers with half an answer', () => ({ headers: json, packets: ['{"data":[{"embe'] }), 502, 'provider_broke_off'],
  [
    'falls silent in the middle',
    () => ({ headers: json, packets: ['{"data":['], after: 'silence' }),
    504,
    'provider_timeout',
  ],
  ['dribbles without end', () => ({ headers: json, packets: forever(' '), everyMs: 50 }), 504, 'provider_timeout'],
  ['sends events unasked', () => ({ packets: ['data: {}\n\n'] }), 502, 'provider_broke_off'],
  [
    'says with status 200 that it failed',
    () => ({ headers: json, packets: [JSON.stringify({ error: { message: 'Overloaded', type: 'server_error' } })] }),
    502,
    'provider_unavailable',
  ],
  [
    'fails with a page without end',
    () => ({ status: 503, headers: { 'content-type': 'text/html' }, packets: forever(page), everyMs: 0 }),
    502,
    'provider_unavailable',
  ],
];

describe.each(engines)('a misbehaving provider of relayed calls, on %s', (engine) => {
  let provider: Awaited<ReturnType<typeof startRawProvider>>;
  let usual: TestApp;
  let impatient: TestApp;
  let script: (path: string, body: string) => RawAnswer;
  const tokens = new Map<TestApp, { id: number; token: string }>();
  beforeAll(async () => {
    provider = await startRawProvider((path, body) => script(path, body));
    const env = { PROVIDER_BASE_URL: provider.url };
    usual = await startApp(engine, { env });
    impatient = await startApp(engine, { env, providerTimes: hasty });
    for (const app of [usual, impatient]) {
      const ada = await app.as('ada');
      await ada.post('/api/settings/apikey', { apiKey: key });
      tokens.set(app, await newToken(ada, { rights: ['chat'] }));
    }
  });
  afterAll(async () => {
    await usual.stop();
    await impatient.stop();
    await provider.close();
  });

  const tokenOf = (app: TestApp) => tokens.get(app) ?? { id: 0, token: '' };

  function post(app: TestApp, path: string, more: object = {}) {
    const { token } = tokenOf(app);
    const body = { ...bodies[path], ...more };
    if (path !== '/audio/transcriptions') return callApi(app, token, `/v1${path}`, { method: 'POST', body });
    const part = (name: string, value: string) =>
      `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const file = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.mp3"\r\n\r\nsound\r\n';
    const form = Object.entries(body).map(([name, value]) => part(name, String(value)));
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    return callApi(app, token, `/v1${path}`, { method: 'POST', headers, body: `${form.join('')}${file}--b--\r\n` });
  }

  const countOf = async (app: TestApp) => (await recorded(app, tokenOf(app).id)).length;

  test.each(beginnings)('reports one that %s', async (_what, answer, status, code) => {
    script = answer;
    const app = code === 'provider_timeout' ? impatient : usual;
    const before = await countOf(app);
    const answers = await Promise.all(paths.map((path) => post(app, path)));
    for (const { status: received, body, text } of answers) {
      expect([received, body.error?.code, body.error?.type], text).toEqual([status, code, 'server_error']);
      expect(text).not.toContain('<html');
    }
    await until('The end of the connections', async () => provider.open() === 0);
    expect((await countOf(app)) - before).toBe(paths.length);
  });

  test.each([
    ['JSON', '/embeddings', json, () => ['{"data":["', ...new Array<string>(40).fill('x'.repeat(65_536))]],
    ['a sound', '/audio/speech', sound, () => [Buffer.alloc(65_536, 1)]],
  ] as const)(
    'closes the connection if %s breaks off after its beginning was sent',
    async (_, path, headers, packets) => {
      for (const after of ['cut', 'silence'] as const) {
        script = () => ({ headers, packets: packets(), after });
        await expect(post(impatient, path)).rejects.toThrow();
        await until('The end of the connection', async () => provider.open() === 0);
      }
      expect((await recorded(impatient, tokenOf(impatient).id)).at(-1)).toMatchObject({
        output_tokens: 0,
        estimated: 1,
      });
    },
  );

  test('passes a long answer on whole, and finds its usage at the end', async () => {
    const text = `{"data":["${'x'.repeat(3 * mebibyte)}"],"usage":{"prompt_tokens":77,"total_tokens":77}}`;
    script = () => ({ headers: json, packets: text.match(/.{1,100000}/g) ?? [], everyMs: 0 });
    expect((await post(usual, '/embeddings')).text).toBe(text);
    expect((await recorded(usual, tokenOf(usual).id)).at(-1)).toMatchObject({ input_tokens: 77, estimated: 0 });
  });

  test('records the cost that the provider states, in dollars', async () => {
    const usage = { prompt_tokens: 3, total_tokens: 3, cost: 0.25 };
    script = () => ({ headers: json, packets: [JSON.stringify({ data: [], usage })] });
    await post(usual, '/embeddings');
    script = () => ({ headers: json, packets: [JSON.stringify({ text: 'Hi', usage: { seconds: 3, cost: 0.5 } })] });
    await post(usual, '/audio/transcriptions');
    const [first, second] = (await recorded(usual, tokenOf(usual).id)).slice(-2);
    expect([first?.cost_usd, second?.cost_usd]).toEqual([0.25, 0.5]);
  });

  test('passes on requests and answers byte for byte', async () => {
    const answer = '{ "object":"list", "data" : [1.50,2e3] , "usage":{"prompt_tokens":1,"total_tokens":1}}';
    let received = '';
    script = (_path, body) => {
      received = body;
      return { headers: json, packets: [answer] };
    };
    const body = '{ "model":"m",\t"input" : "\\u00e4", "new_field":{"a":[1.0]} }';
    const { text } = await callApi(usual, tokenOf(usual).token, '/v1/embeddings', { method: 'POST', body });
    expect([text, received]).toEqual([answer, body]);
  });

  test('masks the key in refusals, in answers and in long answers', async () => {
    script = () => ({ status: 400, headers: json, packets: [JSON.stringify({ error: { message: `Bad ${key}` } })] });
    for (const path of paths) {
      const { status, text } = await post(usual, path);
      expect([status, text.includes('Bad'), text.includes('qqqq')]).toEqual([400, true, false]);
    }
    script = () => ({ headers: json, packets: [JSON.stringify({ data: [], debug: `asked with ${key}` })] });
    expect((await post(usual, '/embeddings')).text).not.toContain('qqqq');
    const long = `{"data":["${'x'.repeat(2 * mebibyte)}"],"debug":"${key}"}`;
    script = () => ({ headers: json, packets: [long.slice(0, -20), long.slice(-20)] });
    await expect(post(usual, '/embeddings')).rejects.toThrow();
  });

  test('stops the provider when the client leaves', async () => {
    for (const [path, headers] of [
      ['/embeddings', json],
      ['/audio/speech', sound],
    ] as const) {
      script = () => ({ headers, packets: [Buffer.alloc(2 * mebibyte, '[')], after: 'silence' });
      const leaving = new AbortController();
      const { token } = tokenOf(usual);
      const init = { method: 'POST', headers: { ...bearer(token), ...json }, body: JSON.stringify(bodies[path]) };
      const answer = fetch(`${usual.url}/v1${path}`, { ...init, signal: leaving.signal });
      await until('The answer at the provider', async () => provider.open() === 1);
      leaving.abort();
      await expect(answer.then((response) => response.text())).rejects.toThrow();
      await until('The end of the connection', async () => provider.open() === 0);
    }
  });
});
