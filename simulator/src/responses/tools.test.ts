import { expect, test } from 'vitest';
import {
  at,
  eventsIn,
  expectError,
  expectEventSchema,
  expectSchema,
  listAt,
  orderOf,
  startedSimulator,
  textAt,
} from '../testing.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
};
const weather = { type: 'function', name: 'get_weather', parameters, strict: false };
const time = { type: 'function', name: 'get_time', parameters: { type: 'object', properties: {} }, strict: false };
const ask = { model: 'gpt-4o', tools: [weather, time] };
const saying = (content: string) => ({ role: 'user', content });

test('calls a function if the words or the request ask for it', async () => {
  const { post } = await startedSimulator();
  const { body } = await post('/responses', { ...ask, input: [saying('[[call]] Rain in Utrecht?')] });
  expectSchema('Response', body);
  expect(body.output).toEqual([expect.objectContaining({ type: 'function_call', name: 'get_weather' })]);
  expect(Object.keys(JSON.parse(textAt(body, 'output', 0, 'arguments')))).toEqual(['city', 'days']);
  const named = async (more: object, words = 'Hello') => {
    const { body } = await post('/responses', { ...ask, ...more, input: [saying(words)] });
    return listAt(body, 'output').map((item) => at(item, 'name'));
  };
  expect(await named({ tool_choice: 'required' })).toEqual(['get_weather']);
  expect(await named({ tool_choice: { type: 'function', name: 'get_time' } })).toEqual(['get_time']);
  expect(await named({}, '[[call get_weather get_time]]')).toEqual(['get_weather', 'get_time']);
  expect(await named({ parallel_tool_calls: false }, '[[call get_weather get_time]]')).toEqual(['get_weather']);
  expect(await named({ tool_choice: 'none' }, '[[call]]')).toEqual([undefined]);
});

test('sends the events of a call and of code in order, as described', async () => {
  const { post } = await startedSimulator();
  const called = eventsIn((await post('/responses', { ...ask, stream: true, input: [saying('[[call]]')] })).text);
  expect(orderOf(called)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.completed',
  ]);
  const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }];
  const include = ['code_interpreter_call.outputs'];
  const coding = { model: 'gpt-4o', tools, include, stream: true, input: [saying('[[code]] How long is this?')] };
  const coded = eventsIn((await post('/responses', coding)).text);
  expect(orderOf(coded).slice(2, 9)).toEqual([
    'response.output_item.added',
    'response.code_interpreter_call.in_progress',
    'response.code_interpreter_call_code.delta',
    'response.code_interpreter_call_code.done',
    'response.code_interpreter_call.interpreting',
    'response.code_interpreter_call.completed',
    'response.output_item.done',
  ]);
  expect(at(coded.at(-1), 'response', 'output', 0, 'outputs')).toEqual([{ type: 'logs', logs: '42\n' }]);
  for (const event of [...called, ...coded]) expectEventSchema(event);
});

test('repeats function outputs in the answer, and requires one for each call', async () => {
  const { post } = await startedSimulator();
  const call = { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'call_1', output: '12 degrees' };
  const asked = (...items: object[]) => post('/responses', { ...ask, input: [saying('[[call]] Rain?'), ...items] });
  const { body } = await asked(call, output);
  expect(textAt(body, 'output', 0, 'content', 0, 'text')).toContain('The functions said: 12 degrees.');
  expectError(await asked(call), 400, { message: 'No tool output found for function call call_1.' });
  const noCall = 'No tool call found for function call output with call_id call_1.';
  expectError(await asked(output), 400, { message: noCall });
  const twice = await post('/responses', { ...ask, input: [saying('[[call 2]] Rain?'), call, output] });
  expect(at(twice.body, 'output', 0, 'type')).toBe('function_call');
});

test('does the same through Chat Completions', async () => {
  const { post } = await startedSimulator();
  const tools = [weather, time].map(({ type, ...fields }) => ({ type, function: fields }));
  const asking = { model: 'gpt-4o', tools };
  const messages = [saying('[[call get_weather get_time]] Rain in Utrecht?')];
  const whole = await post('/chat/completions', { ...asking, messages });
  expectSchema('CreateChatCompletionResponse', whole.body);
  expect(at(whole.body, 'choices', 0, 'finish_reason')).toBe('tool_calls');
  const chunks = eventsIn((await post('/chat/completions', { ...asking, messages, stream: true })).text);
  for (const chunk of chunks) expectSchema('CreateChatCompletionStreamResponse', chunk);
  const pieces = chunks.flatMap((chunk) => {
    const calls = at(chunk, 'choices', 0, 'delta', 'tool_calls');
    return Array.isArray(calls) ? calls : [];
  });
  const said = (index: number) =>
    pieces
      .filter((piece) => piece.index === index)
      .map((piece) => textAt(piece, 'function', 'arguments'))
      .join('');
  expect([said(0), said(1)]).toEqual([
    at(whole.body, 'choices', 0, 'message', 'tool_calls', 0, 'function', 'arguments'),
    '{}',
  ]);
  const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } };
  const calling = { role: 'assistant', content: null, tool_calls: [call] };
  const result = { role: 'tool', tool_call_id: 'call_1', content: '12 degrees' };
  const answered = await post('/chat/completions', { ...asking, messages: [...messages, calling, result] });
  expect(textAt(answered.body, 'choices', 0, 'message', 'content')).toContain('12 degrees');
  const open = await post('/chat/completions', { ...asking, messages: [...messages, calling, ...messages] });
  expectError(open, 400, { param: 'messages' });
  expectError(await post('/chat/completions', { ...asking, messages: [result] }), 400, { param: 'messages[0].role' });
});
