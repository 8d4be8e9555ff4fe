import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { chunk, event, type RawAnswer, startRawProvider, words } from '#server/testing/raw-provider';

/** A key without a known format; its characters are escaped in JSON and in URLs. */
const key = 'Kx9"q/w+z\\7-none&known?of#all';
const inAddress = encodeURIComponent(key);
const escaped = JSON.stringify(key).slice(1, -1);
const unicode = [...key].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

/** Forms in which a provider quotes the key inside JSON. */
const quotations: [name: string, inJson: string][] = [
  ['as it is', escaped],
  ['with its slashes escaped', escaped.replaceAll('/', '\\/')],
  ['in Unicode escapes', unicode],
  ['in an address', `https://upstream.example/v1?key=${inAddress}`],
  ['in an address in small letters', inAddress.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())],
  ['in JSON within the text', JSON.stringify(JSON.stringify({ key })).slice(1, -1)],
];

/** Expects no part of the key in any of these forms. */
function expectMasked(shown: string) {
  let text = shown;
  // Remove one layer of escapes at a time.
  for (let layer = 0; layer < 4; layer++) {
    for (const secret of [key, 'Kx9', 'none&known', 'none%26known', 'none%2526known'])
      expect(text, shown).not.toContain(secret);
    text = text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
    text = text.replaceAll(/\\(.)/g, '$1');
  }
}

describe.each(engines)('the provider key in a provider’s messages, on %s', (engine) => {
  let provider: Awaited<ReturnType<typeof startRawProvider>>;
  let app: TestApp;
  let token: string;
  let script: (path: string, body: string) => RawAnswer = () => ({ packets: [] });
  beforeAll(async () => {
    provider = await startRawProvider((path, body) => script(path, body));
    app = await startApp(engine, { env: { PROVIDER_BASE_URL: provider.url } });
    const ada = await app.as('ada');
    expect((await ada.post('/api/settings/apikey', { apiKey: key })).status).toBe(200);
    await createAssistant(ada, { name: 'Warm', model: 'gpt-4o', temperature: 0.9 });
    ({ token } = await newToken(ada));
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });

  const json = { 'content-type': 'application/json' };
  const messages = [{ role: 'user', content: 'Hi' }];
  const chat = (more: object = {}) =>
    callApi(app, token, '/v1/chat/completions', { method: 'POST', body: { model: 'gpt-4o', messages, ...more } });
  const response = (more: object = {}) =>
    callApi(app, token, '/v1/responses', { method: 'POST', body: { model: 'gpt-4o', input: 'Hi', ...more } });
  const all = [() => chat(), () => chat({ stream: true }), () => response(), () => response({ stream: true })];

  describe.each(quotations)('%s', (_, quoted) => {
    const error = `{"error":{"message":"Upstream key ${quoted} is out of credit","code":"upstream"}}`;

    test.each([
      ['error', error],
      ['detail', `{"detail":"Upstream key ${quoted} is out of credit"}`],
      ['object', `{"object":"error","message":"Upstream key ${quoted} is out of credit"}`],
    ])('masks it in the body of a failure with %s', async (_form, body) => {
      for (const status of [400, 200]) {
        script = () => ({ status, headers: json, packets: [body] });
        for (const ask of all) {
          const { text, headers } = await ask();
          expect(text).toMatch(/out of credit|could not be read|disconnected|was lost/);
          expectMasked(text);
          expectMasked(JSON.stringify(headers));
        }
      }
    });

    test.each([
      ['error', `data: ${error}\n\n`],
      ['detail', `data: {"detail":"Upstream key ${quoted} is out of credit"}\n\n`],
      ['choice', `data: {"choices":[{"delta":{},"error":{"message":"Upstream key ${quoted} is out of credit"}}]}\n\n`],
      ['message', `data: {"code":"Quota","message":"Upstream key ${quoted} is out of credit"}\n\n`],
      ['named event', `event: error\ndata: {"message":"Upstream key ${quoted} is out of credit"}\n\n`],
      ['success', `data: {"success":false,"msg":"Upstream key ${quoted} is out of credit"}\n\n`],
      [
        'status_msg',
        `data: {"choices":null,"base_resp":{"status_code":1008,"status_msg":"Upstream key ${quoted} is out of credit"}}\n\n`,
      ],
    ])('masks it in a stream with %s, wherever it is cut into packets', async (_form, failing) => {
      const at = failing.indexOf(quoted);
      for (const cut of [at + 3, at + Math.floor(quoted.length / 2)]) {
        script = (path) =>
          path === '/responses'
            ? { status: 404, headers: json, packets: ['{}'] }
            : { packets: [words('Hi'), failing.slice(0, cut), failing.slice(cut)] };
        for (const ask of [() => chat({ stream: true }), () => response(), () => response({ stream: true })]) {
          const { text } = await ask();
          expect(text).toContain('out of credit');
          expectMasked(text);
        }
      }
    });

    test('masks it in a stream of Responses, wherever it is cut into packets', async () => {
      const begin = event('response.created', { sequence_number: 0, response: {} });
      const failing = `event: error\ndata: {"type":"error","code":"upstream","message":"Upstream key ${quoted} is out of credit"}\n\n`;
      const failed = `event: response.failed\ndata: {"type":"response.failed","response":{"status":"failed","error":{"message":"Upstream key ${quoted} is out of credit"}}}\n\n`;
      for (const last of [failing, failed]) {
        const cut = last.indexOf(quoted) + 3;
        script = () => ({ packets: [begin, last.slice(0, cut), last.slice(cut)] });
        const { text } = await response({ stream: true });
        expect(text).toContain('out of credit');
        expectMasked(text);
      }
    });

    test('masks it where a field added by Roster is refused', async () => {
      const refusal = `{"error":{"message":"Unsupported parameter: 'temperature' (key ${quoted})","param":"temperature","code":"unsupported_parameter"}}`;
      script = (_path, body) =>
        body.includes('"temperature"')
          ? { status: 400, headers: json, packets: [refusal] }
          : { packets: [words('Hi', 'stop'), 'data: [DONE]\n\n'] };
      const answered = await chat({ model: 'Warm@roster', stream: true });
      expect([answered.status, answered.headers['x-roster-note']]).toEqual([
        200,
        'The temperature was left out: gpt-4o does not accept it.',
      ]);
      expectMasked(answered.text + JSON.stringify(answered.headers));
      const named = await chat({ temperature: 0.5 });
      expect([named.status, named.body.error.param]).toEqual([400, 'temperature']);
      expectMasked(named.text);
    });
  });

  test.each([
    ['a comment', (secret: string) => `: asked with ${secret}\n\n`],
    ['the name of an event', (secret: string) => `event: asked with ${secret}\ndata: {"choices":[]}\n\n`],
    ['a field that no stream has', (secret: string) => `error: {"message":"${secret}"}\n\n`],
    ['a field beside the choices', (secret: string) => `data: {"choices":[],"debug":{"asked":"with ${secret}"}}\n\n`],
  ])('masks it in a stream in %s', async (_place, saying) => {
    for (const secret of [escaped, inAddress]) {
      script = () => ({ packets: [saying(secret), words('Hi', 'stop'), 'data: [DONE]\n\n'] });
      const { text } = await chat({ stream: true });
      expect(text).toContain('"Hi"');
      expectMasked(text);
    }
  });

  test('masks it in a complete answer, outside the choices', async () => {
    const choices = [{ message: { role: 'assistant', content: `Is ${inAddress} a key?` }, finish_reason: 'stop' }];
    script = () => ({ headers: json, packets: [JSON.stringify({ choices, debug: { asked: `with ${key}` } })] });
    const { body, text } = await chat();
    expect(body.choices).toEqual(choices);
    expectMasked(text.replace(inAddress, ''));
  });

  test('masks it in a response outside its output, and in what is stored', async () => {
    // A key for which Responses have not been refused yet.
    const own = `${key}2`;
    const bea = await app.as('bea');
    expect((await bea.post('/api/settings/apikey', { apiKey: own })).status).toBe(200);
    const hers = (await newToken(bea)).token;
    const ask = (more: object = {}) =>
      callApi(app, hers, '/v1/responses', { method: 'POST', body: { model: 'gpt-4o', input: 'Hi', ...more } });
    const text = `Is ${inAddress} a key?`;
    const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] };
    const answer = { status: 'completed', output: [item], debug: { asked: `with ${own}` } };
    const unknown = event('response.gateway', { sequence_number: 1, note: `asked with ${own}` });
    script = () => ({ headers: json, packets: [JSON.stringify(answer)] });
    const whole = await ask();
    script = () => ({
      packets: [
        event('response.created', { sequence_number: 0, response: { debug: own } }),
        unknown,
        event('response.output_text.delta', { sequence_number: 2, output_index: 0, content_index: 0, delta: text }),
        event('response.output_item.done', { sequence_number: 3, output_index: 0, item }),
        event('response.completed', { sequence_number: 4, response: answer }),
      ],
    });
    const streamed = await ask({ stream: true });
    const id = /"id":"(resp_\w+)"/.exec(streamed.text)?.[1];
    const kept = await callApi(app, hers, `/v1/responses/${id}`);
    expect(streamed.text).toContain('response.gateway');
    for (const { body } of [whole, kept]) expect(body.output[0].content[0].text).toBe(text);
    for (const { text: shown } of [whole, streamed, kept]) expectMasked(shown.replaceAll(inAddress, ''));
  });

  test('leaves the model’s words unchanged', async () => {
    const answer = `My key is ${inAddress}`;
    script = () => ({
      packets: [words(answer), chunk({ choices: [{ delta: {}, finish_reason: 'stop' }] }), 'data: [DONE]\n\n'],
    });
    expect((await chat({ stream: true })).text).toContain(answer);
  });
});
