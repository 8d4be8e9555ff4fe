import { personas, startPersona, thoughtAbout, wrongKeyEnding } from '@roster/simulator/personas/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, newThread } from '#server/testing/chat';
import { reasoningOf } from '#server/testing/events';
import type { HttpClient } from '#server/testing/http-client';
import { newClient } from '#server/testing/responses';
import { fakeToolRegistry } from '#server/testing/tool-box';

const question = 'The tides of the North Sea';
const input = '{"city":"Zürich","id":9007199254740993}';
const features = [
  ...['Provider', 'Models', 'Answer', 'Reasoning', 'Tool call', 'Images', 'Sources', 'Tokens'],
  ...['`/v1` chat', '`/v1` responses'],
];
const errors = ['Provider', 'Wrong key', 'No credit', 'Too long', 'Broken off', 'Next question'];

const featureRows: string[][] = [];
const errorRows: string[][] = [];
const yes = '✓';

/** The words of a failure after Roster's own first sentence. */
const detailOf = (message: string) => message.replace(/^[^.]*\.\s*/, '').trim();
const inWords = (code: string, message: string) => `\`${code}\`${detailOf(message) === '' ? '' : ', in its words'}`;

describe.each(personas)('persona $name', (persona) => {
  const { id, model } = persona;
  let provider: Awaited<ReturnType<typeof startPersona>>;
  let app: TestApp;
  beforeAll(async () => {
    provider = await startPersona(persona);
    const tools = fakeToolRegistry();
    tools.offer('weather', {}, () => tools.said('It rains.'));
    app = await startApp('sqlite', {
      env: { PROVIDER_BASE_URL: provider.url, PROVIDER_NAME: persona.name },
      tools: { box: tools.box, callMs: 600_000 },
    });
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });

  test('works on pages and through the public API', async () => {
    const ada = await app.as('ada');

    const wrong = await ada.post('/api/settings/apikey', { apiKey: `a-key${wrongKeyEnding}` });
    const wrongKey = persona.keyHeaders.length === 0 ? 'no key needed' : inWords(wrong.body.code, wrong.body.message);
    if (persona.keyHeaders.length > 0) expect(wrong).toMatchObject({ status: 422, body: { code: 'key_rejected' } });
    expect(await ada.post('/api/settings/apikey', { apiKey: 'a-key-of-ada' })).toMatchObject({ status: 200 });

    const { body: listed } = await ada.get('/api/models');
    const ids = listed.models.map((found: { id: string }) => found.id);
    if (persona.models !== null) expect(ids).toContain(model);
    else expect(ids).toEqual([]);

    const threadId = await newThread(ada, { model });
    const asking = (words: string, more = {}) => ask(app, ada, threadId, `${words} ${question}`, more);
    const plain = await asking('');
    expect(plain.answer).toMatchObject({
      state: 'complete',
      text: `You asked about “${question}”, and here is the answer.`,
    });

    const thinking = await asking('[[think]]');
    expect(thinking.answer.text).toBe(plain.answer.text);
    expect([thoughtAbout(question), '']).toContain(reasoningOf(thinking.events).trim());

    const failures = [];
    for (const word of ['[[credit]]', '[[long]]', '[[break]]']) {
      const { answer } = await asking(word);
      expect(answer.state !== 'complete' || answer.endedEarly !== null, `${word} must not look complete`).toBe(true);
      failures.push(
        answer.error ? inWords(answer.error.code, answer.error.message) : `ended early (${answer.endedEarly})`,
      );
    }
    const after = await asking('');
    expect(after.answer).toMatchObject({ state: 'complete', text: plain.answer.text });

    featureRows.push([
      persona.name,
      persona.models === null ? 'not served; any id' : yes,
      yes,
      reasoningOf(thinking.events) === '' ? 'not sent' : yes,
      await toolCallOf(ada),
      await pictureOf(ada, threadId),
      plain.answer.links?.length ? yes : 'not sent',
      plain.answer.usage?.estimated ? 'estimated' : yes,
      await chatOf(ada),
      await responsesOf(ada),
    ]);
    errorRows.push([persona.name, wrongKey, ...failures, yes]);
  });

  async function toolCallOf(visitor: HttpClient) {
    if (id === 'perplexity') return 'not served';
    const threadId = await newThread(visitor, { assistantId: await createAssistant(visitor, { model }) });
    const { answer } = await ask(app, visitor, threadId, `[[call]] ${question}`);
    expect(answer.calls?.[0]).toMatchObject({ name: 'demo_weather', state: 'done', output: 'It rains.' });
    expect(answer).toMatchObject({ state: 'complete', text: 'The functions said: It rains.' });
    return yes;
  }

  async function pictureOf(visitor: HttpClient, threadId: number) {
    const { answer } = await ask(app, visitor, threadId, `[[picture]] ${question}`);
    return answer.files.length > 0 ? yes : 'not sent';
  }

  async function chatOf(visitor: HttpClient) {
    const { client } = await newClient(app, visitor, { rights: ['chat'] });
    const request = { model, messages: [{ role: 'user' as const, content: question }] };
    const whole = await client.chat.completions.create(request);
    expect(whole.choices[0]?.message.content).toContain(question);
    // Responses of servers of this kind are passed on as they come.
    if (!persona.stream) return 'in one piece';
    let text = '';
    for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
      text += chunk.choices[0]?.delta?.content ?? '';
    expect(text).toContain(question);
    return yes;
  }

  async function responsesOf(visitor: HttpClient) {
    const { client } = await newClient(app, visitor, { rights: ['chat'] });
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const weather = { type: 'function' as const, name: 'weather', parameters, strict: false };
    const first = await client.responses.create({ model, input: `[[call]] ${question}`, tools: [weather] });
    if (id === 'perplexity') return 'without functions';
    const call = first.output.find((item) => item.type === 'function_call');
    if (call?.type !== 'function_call') throw new Error(`No call: ${JSON.stringify(first.output)}`);
    expect(call.arguments).toBe(input);
    const second = await client.responses.create({
      model,
      previous_response_id: first.id,
      tools: [weather],
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'It rains.' }],
    });
    expect(second.output_text).toBe('The functions said: It rains.');
    return yes;
  }
});

test('lists what Roster does with each provider', async () => {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const table = (columns: readonly string[], rows: readonly string[][]) =>
    [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
  const page = `${introduction}\n${table(features, featureRows)}\n\n${aboutErrors}\n${table(errors, errorRows)}\n`;
  await expect(page).toMatchFileSnapshot('../../../docs/operator/providers.md');
});

const introduction = `# Providers

Roster works with any server that speaks the OpenAI HTTP API: set \`PROVIDER_BASE_URL\` to its base URL (see
[configure](configure.md#provider-and-models)). Servers differ in what they send, so the simulator has a *persona* for
each of those below. A persona follows the provider's documentation and public bug reports and speaks as the server
does, errors included.

\`server/src/provider/personas.long.test.ts\` calls every persona through the calls of the pages and through \`/v1\`, and
prints these tables; \`npm test server server/src/provider/personas.long.test.ts -- -u\` writes them again. They show what
Roster does with that dialect. They were not made with an account at the provider, whose service may have changed
since.

## What works

- **Not sent**: the provider does not send this with its answers.
- **Tokens**: ✓ as the provider reports them; *estimated* by Roster, and marked so, if it reports nothing usable.
`;

const aboutErrors = `## Errors

Each cell has the code of the error that people and programs get, and says whether the provider's own words come with
it. **Next question** is asked in the same conversation after the three answers that failed.
`;
