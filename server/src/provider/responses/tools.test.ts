import { createSimulator, type SimulatorOptions } from '@roster/simulator/simulator';
import { expect, onTestFinished, test } from 'vitest';
import type { AnswerTools } from '#server/provider/answer-tools';
import { createGenerator } from '#server/provider/generate';
import type { AnswerPiece, AnswerRequest, ConversationTurn } from '#server/provider/provider';
import { createProviderHttp } from '#server/provider/transport/http';
import { Secret } from '#server/security/secret';
import { goodKey } from '#server/testing/app';
import { chunk, completed, event, startRawProvider } from '#server/testing/raw-provider';

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const tools: AnswerTools = {
  functions: [{ name: 'get_weather', parameters }, { name: 'get_time' }],
  codeInterpreter: null,
  choice: 'auto',
  isParallel: true,
};
const withCode: AnswerTools = { ...tools, functions: [], codeInterpreter: { fileIds: [] } };

/** Nothing is known about the provider, and nothing is remembered. */
const traits = { has: () => false, learn: async () => undefined, works: async () => undefined };

async function asking(baseUrl: string) {
  const http = createProviderHttp(baseUrl);
  onTestFinished(async () => void (await http.close()));
  const answer = createGenerator(http, 'OpenAI', traits);
  return async (turns: ConversationTurn[], more: Partial<AnswerRequest>) => {
    const pieces: AnswerPiece[] = [];
    const base = { apiKey: new Secret(goodKey), model: 'gpt-4o', instructions: '', temperature: null, effort: null };
    const onPieces = (some: AnswerPiece[]) => void pieces.push(...some);
    const end = await answer({ ...base, turns, ...more }, onPieces, new AbortController().signal);
    const updates = pieces.flatMap((piece) => (piece.type === 'tool' ? [piece.call] : []));
    // The final state of each call.
    const calls = [...new Map(updates.map((call) => [call.callId, call])).values()];
    const text = pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('');
    const notes = pieces.flatMap((piece) => (piece.type === 'note' ? [piece.text] : []));
    return { end, calls, text, notes };
  };
}

async function askingSimulator(options: SimulatorOptions = {}) {
  const simulator = createSimulator({ tokenDelayMs: 0, ...options });
  const { url } = await simulator.listen();
  onTestFinished(() => simulator.close());
  return asking(url);
}

const saying = (text: string): ConversationTurn => ({ role: 'user', text });

test.each([
  ['Responses', {}],
  ['Chat Completions', { without: ['responses' as const] }],
])('calls functions through %s and sends their outputs along', async (_, options) => {
  const ask = await askingSimulator(options);
  const question = saying('[[call get_weather get_time]] Rain in Utrecht?');
  const { calls, text, end } = await ask([question], { tools });
  const waiting = { kind: 'function', title: '', server: null, state: 'waiting', output: null };
  expect(calls).toEqual([
    { ...waiting, callId: expect.stringMatching(/^call_/), name: 'get_weather', input: expect.any(String) },
    { ...waiting, callId: expect.stringMatching(/^call_/), name: 'get_time', input: '{}' },
  ]);
  expect(JSON.parse(calls[0]?.input ?? '')).toEqual({ city: expect.any(String) });
  expect([text, end.reason]).toEqual(['', 'complete']);
  const answered = calls.map(({ callId, name, input }) => ({ callId, name, input, output: `${name}: 12` }));
  const answer = await ask([question, { role: 'assistant', text: '', calls: answered }], { tools });
  expect(answer.text).toContain('The functions said: get_weather: 12; get_time: 12.');
  expect(answer.calls).toEqual([]);
  const one = await ask([question], { tools: { ...tools, isParallel: false } });
  expect(one.calls.map(({ name }) => name)).toEqual(['get_weather']);
  const chosen = await ask([saying('Hello')], { tools: { ...tools, choice: { function: 'get_time' } } });
  expect(chosen.calls.map(({ name }) => name)).toEqual(['get_time']);
  const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
  const format = { type: 'json_schema' as const, json_schema: { name: 'it', schema, strict: true } };
  expect((await ask([saying('Hello')], { format, topP: 0.5 })).text).not.toBe('');
});

test('runs code where the provider can, and otherwise fails with a reason', async () => {
  const ask = await askingSimulator();
  const { calls, text } = await ask([saying('[[code]] How long?')], { tools: withCode });
  expect(calls).toEqual([
    {
      kind: 'code_interpreter',
      callId: expect.stringMatching(/^ci_/),
      name: 'code_interpreter',
      title: '',
      server: null,
      state: 'done',
      input: expect.stringContaining('print('),
      output: JSON.stringify([{ type: 'logs', logs: '42\n' }]),
    },
  ]);
  expect(text).not.toBe('');
  const bare = await askingSimulator({ without: ['responses'] });
  await expect(bare([saying('Hello')], { tools: withCode })).rejects.toThrow('This provider has no code interpreter.');
  const search = { storeIds: ['vs_1'], files: new Map(), isNeeded: true, onRefused: () => undefined };
  await expect(bare([saying('Hello')], { search })).rejects.toThrow('This provider has no file search.');
});

test('ends the answer on a call that is damaged, too large or one too many', async () => {
  const item = (more: object) =>
    event('response.output_item.done', {
      item: { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{}', ...more },
    });
  let packets: string[] = [];
  let without: string | undefined;
  const provider = await startRawProvider((path) =>
    path === without ? { status: 404, packets: ['{}'] } : { packets },
  );
  onTestFinished(() => provider.close());
  const ask = await asking(provider.url);
  const callsIn = async (...sent: string[]) => {
    packets = sent;
    return (await ask([saying('Hello')], { tools })).calls;
  };
  expect(await callsIn(item({}), item({}), completed())).toHaveLength(1);
  expect(await callsIn(item({ status: 'incomplete' }), completed())).toEqual([]);
  expect((await callsIn(item({ arguments: '"\0"' }), completed()))[0]?.input).toBe('"\uFFFD"');
  const many = Array.from({ length: 129 }, (_, index) => item({ call_id: `call_${index}` })).join('');
  for (const broken of [
    item({ arguments: 'x'.repeat(256 * 1024 + 1) }),
    item({ call_id: 7 }),
    item({ call_id: 'a b' }),
    item({ name: '<b>' }),
    many,
  ])
    await expect(callsIn(broken, completed())).rejects.toThrow('could not be read');

  without = '/responses';
  const piece = (fields: object) => chunk({ choices: [{ delta: { tool_calls: [fields] } }] });
  const named = piece({ index: 0, id: 'call_1', function: { name: 'get_weather', arguments: '' } });
  const more = piece({ index: 0, function: { arguments: 'x'.repeat(200 * 1024) } });
  const ended = chunk({ choices: [{ finish_reason: 'tool_calls' }] });
  await expect(callsIn(named, more, more, ended, 'data: [DONE]\n\n')).rejects.toThrow('could not be read');
  expect(await callsIn(named, chunk({ choices: [{ finish_reason: 'length' }] }), 'data: [DONE]\n\n')).toEqual([]);
});

test('omits a tool whose schema is rejected, adds a note, and continues the answer', async () => {
  const message = "Invalid schema for function 'get_weather': In context=(), object schema missing properties";
  let requests = 0;
  let sent = '';
  const provider = await startRawProvider((_path, body) => {
    requests++;
    sent = body;
    return requests === 1
      ? {
          status: 400,
          headers: { 'content-type': 'application/json' },
          packets: [JSON.stringify({ error: { message } })],
        }
      : { packets: [event('response.output_text.delta', { delta: 'Fine.' }), completed()] };
  });
  onTestFinished(() => provider.close());
  const ask = await asking(provider.url);
  const functions = tools.functions.map((one) => ({ ...one, canBeSpared: true }));
  const order = { tools: { ...tools, functions }, refusedFunctions: new Set<string>() };
  const { text, notes } = await ask([saying('Hello')], order);
  expect([text, requests]).toEqual(['Fine.', 2]);
  expect(notes).toEqual([expect.stringContaining('The tool get_weather was left out')]);
  // The next step of the same answer neither sends it again nor repeats the note.
  const next = await ask([saying('Hello')], order);
  expect([next.text, next.notes, requests]).toEqual(['Fine.', [], 3]);
  expect(sent).not.toContain('get_weather');
});
