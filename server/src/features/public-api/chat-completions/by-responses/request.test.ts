import { expect, test } from 'vitest';
import { toResponses } from './request.ts';

const hello = [{ role: 'user', content: 'Hello' }];
const translated = (more: object, messages: unknown[] = hello) => toResponses({ model: 'm', messages, ...more });
const untranslatable = (more: object, messages?: unknown[]) => {
  const translation = translated(more, messages);
  return 'untranslatable' in translation ? translation.untranslatable : undefined;
};

test('translates what both APIs have', () => {
  const described = { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true };
  const translation = translated({
    tools: [
      { type: 'function', function: described },
      { type: 'function', function: { name: 'g' } },
    ],
    tool_choice: { type: 'function', function: { name: 'f' } },
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } },
    max_completion_tokens: 99,
    reasoning_effort: 'low',
    verbosity: 'low',
    user: 'u',
    metadata: { a: 'b' },
    stream: true,
    stream_options: { include_usage: true },
    seed: 7,
  });
  expect(translation).toEqual({
    notes: ['Left out, because tools are used: seed.'],
    request: {
      model: 'm',
      input: hello,
      store: false,
      stream: true,
      user: 'u',
      metadata: { a: 'b' },
      tools: [
        { type: 'function', ...described },
        { type: 'function', name: 'g', parameters: { type: 'object', properties: {} }, strict: false },
      ],
      tool_choice: { type: 'function', name: 'f' },
      max_output_tokens: 99,
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_schema', name: 'a', schema: {} }, verbosity: 'low' },
    },
  });
});

test('turns messages into items, with their content', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
  const data = 'data:image/png;base64,AA';
  const translation = translated({}, [
    {
      role: 'developer',
      content: [
        { type: 'text', text: 'Be' },
        { type: 'text', text: 'brief' },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: data } },
        { type: 'file', file: { file_data: 'data:x', filename: 'a.pdf' } },
      ],
    },
    // A model's answer, sent back.
    {
      role: 'assistant',
      content: 'Hm',
      refusal: null,
      annotations: [],
      audio: null,
      tool_calls: [{ ...call, index: 0 }],
    },
    { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'Rain' }], name: 'f' },
    { role: 'assistant', content: null, refusal: 'No.' },
    { role: 'assistant', content: [{ type: 'refusal', refusal: 'Never.' }] },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: data, detail: null } }], name: null },
  ]);
  expect('request' in translation && translation.request.input).toEqual([
    { role: 'developer', content: 'Be\nbrief' },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look' },
        { type: 'input_image', image_url: data, detail: 'auto' },
        { type: 'input_file', file_data: 'data:x', filename: 'a.pdf' },
      ],
    },
    { role: 'assistant', content: 'Hm' },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'Rain' },
    { role: 'assistant', content: 'No.' },
    { role: 'assistant', content: 'Never.' },
    { role: 'user', content: [{ type: 'input_image', image_url: data, detail: 'auto' }] },
  ]);
});

test('translates which functions are allowed', () => {
  const named = { type: 'function', function: { name: 'f' } };
  const translation = translated({
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named] } },
  });
  expect('request' in translation && translation.request.tool_choice).toEqual({
    type: 'allowed_tools',
    mode: 'auto',
    tools: [{ type: 'function', name: 'f' }],
  });
});

test('passes schemas on unchanged', () => {
  const schema = { type: ['string', 'null'], default: null, properties: { a: { const: null } } };
  const translation = translated({
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
    tools: [{ type: 'function', function: { name: 'f', parameters: schema, description: null } }],
  });
  expect('request' in translation && translation.request).toMatchObject({
    text: { format: { schema } },
    tools: [{ name: 'f', parameters: schema }],
  });
});

test('ignores fields without effect', () => {
  const translation = translated({
    ...{ n: 1, stop: null, logit_bias: {}, logprobs: false, store: false, frequency_penalty: 0, presence_penalty: 0 },
    ...{ functions: [], tools: [], temperature: null, seed: null, modalities: ['text'], top_logprobs: 0 },
  });
  // An empty list of tools has an effect.
  expect(translation).toEqual({ notes: [], request: { model: 'm', input: hello, store: false, tools: [] } });
});

test.each([
  ['n', { n: 2 }],
  ['stop', { stop: ['x'] }],
  ['store', { store: true }],
  ['logprobs', { logprobs: true }],
  ['max_tokens', { max_tokens: 5 }],
  ['tools', { tools: [{ type: 'custom', custom: { name: 'c' } }] }],
  ['tool_choice', { tool_choice: { type: 'allowed_tools', allowed_tools: {} } }],
  ['web_search_options', { web_search_options: {} }],
  ['modalities', { modalities: ['text', 'audio'] }],
  ['functions', { functions: [{ name: 'f' }] }],
  ['metadata', { metadata: { a: 1 } }],
  ['something_new', { something_new: 1 }],
])('finds no translation of %s', (name, more) => expect(untranslatable(more)).toBe(name));

test.each([
  ['a sound', { role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }],
  ['the name of who speaks', { role: 'user', content: 'Hi', name: 'Ada' }],
  ['an old call', { role: 'assistant', content: null, function_call: { name: 'f', arguments: '' } }],
  ['no role', { content: 'Hi' }],
  ['nothing', null],
])('finds no translation of messages with %s', (_, message) => expect(untranslatable({}, [message])).toBe('messages'));
