import { describe, expect, test } from 'vitest';
import {
  at,
  deltasIn,
  eventsIn,
  expectEventSchema,
  expectSchema,
  orderOf,
  startedSimulator,
  textAt,
  typesOf,
} from '../testing.ts';

const MESSAGE = [
  'response.output_item.added',
  'response.content_part.added',
  'response.output_text.delta',
  'response.output_text.done',
  'response.content_part.done',
  'response.output_item.done',
];
const ask = { model: 'gpt-4o', input: 'What is a lighthouse?', stream: true };

async function streamed(body: object) {
  const { post } = await startedSimulator();
  const { text, headers } = await post('/responses', { ...ask, ...body });
  return { text, headers, events: eventsIn(text) };
}

test('sends events in order, numbered, each as described', async () => {
  const { events, headers, text } = await streamed({});
  expect(headers.get('content-type')).toContain('text/event-stream');
  expect(orderOf(events)).toEqual(['response.created', 'response.in_progress', ...MESSAGE, 'response.completed']);
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  for (const event of events) expectEventSchema(event);
  for (const event of events.slice(0, 20)) expectSchema('ResponseStreamEvent', event);
  expect(text.startsWith('event: response.created\ndata: {')).toBe(true);
  expect(text.endsWith('\n\n')).toBe(true);
  expect(text).not.toContain('[DONE]');
});

test('adds deltas up to the text, and usage to the deltas', async () => {
  const { events } = await streamed({});
  const last = events.at(-1);
  const text = deltasIn(events);
  expect(text).toBe(
    at(
      events.find((event) => event.type === 'response.output_text.done'),
      'text',
    ),
  );
  expect(text).toBe(at(last, 'response', 'output', 0, 'content', 0, 'text'));
  const deltas = events.filter((event) => event.type === 'response.output_text.delta').length;
  expect(at(last, 'response', 'usage', 'output_tokens')).toBe(deltas);
});

test('streams the same as an answer in one piece', async () => {
  const { post } = await startedSimulator();
  const whole = await post('/responses', { ...ask, stream: false });
  const events = eventsIn((await post('/responses', ask)).text);
  expect(deltasIn(events)).toBe(textAt(whole.body, 'output', 0, 'content', 0, 'text'));
  expect(at(events.at(-1), 'response', 'usage')).toEqual(whole.body.usage);
});

describe('reasoning', () => {
  const summary = [
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_text.delta',
    'response.reasoning_summary_text.done',
    'response.reasoning_summary_part.done',
  ];

  test('is summarized before the message if requested', async () => {
    const { events } = await streamed({ model: 'gpt-6-luna', reasoning: { effort: 'low', summary: 'auto' } });
    expect(orderOf(events)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      ...summary,
      ...summary,
      'response.output_item.done',
      ...MESSAGE,
      'response.completed',
    ]);
    for (const event of events) expectEventSchema(event);
  });

  test('stays silent otherwise', async () => {
    const { events } = await streamed({ model: 'gpt-6-luna' });
    expect(typesOf(events).filter((type) => type.includes('reasoning'))).toEqual([]);
    expect(at(events.at(-1), 'response', 'output', 0, 'type')).toBe('reasoning');
  });

  test('can be requested in words, with any model', async () => {
    const { events } = await streamed({ input: 'Why? [[reasoning]]' });
    expect(deltasIn(events, 'response.reasoning_summary_text.delta')).toContain('Reading the request');
  });
});

test('sends a refusal as a refusal', async () => {
  const { events } = await streamed({ input: 'Do something terrible [[refusal]]' });
  expect(orderOf(events)).toEqual(
    ['response.created', 'response.in_progress', ...MESSAGE, 'response.completed'].map((type) =>
      type.replace('output_text', 'refusal'),
    ),
  );
  for (const event of events) expectEventSchema(event);
  expect(at(events.at(-1), 'response', 'output', 0, 'content', 0, 'type')).toBe('refusal');
});

test.each([
  ['[[incomplete]]', 'max_output_tokens'],
  ['[[filter]]', 'content_filter'],
])('%s ends with the reason %s', async (words, reason) => {
  const { events } = await streamed({ input: `Tell me a story ${words}` });
  const last = events.at(-1);
  expect(last?.type).toBe('response.incomplete');
  expect(at(last, 'response', 'incomplete_details', 'reason')).toBe(reason);
  for (const event of events) expectEventSchema(event);
});

test('stores a stream when it is complete', async () => {
  const { get, post } = await startedSimulator();
  const last = eventsIn((await post('/responses', ask)).text).at(-1);
  const stored = await get(`/responses/${textAt(last, 'response', 'id')}`);
  expect(stored.body).toEqual(last?.response);
});

describe('bench mode', () => {
  test('numbers the tokens and stamps each with its time', async () => {
    const { events } = await streamed({ input: '[[bench 400]]' });
    const deltas = events.filter((event) => event.type === 'response.output_text.delta');
    expect(deltas.map((event) => event.delta)).toEqual(
      Array.from({ length: 400 }, (_, index) => ` t${String(index).padStart(4, '0')}`),
    );
    const times = deltas.map((event) => Number(event.sent_at));
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('applies only then', async () => {
    const { events } = await streamed({});
    expect(events.some((event) => 'sent_at' in event)).toBe(false);
  });
});

test('[[tokens 2000]] gives exactly that many', async () => {
  const { events } = await streamed({ input: '[[tokens 2000]]' });
  expect(at(events.at(-1), 'response', 'usage', 'output_tokens')).toBe(2_000);
});

test('streams to the official client', async () => {
  const { sdk } = await startedSimulator();
  const stream = sdk().responses.stream({ model: 'gpt-6-luna', input: 'hello', reasoning: { summary: 'auto' } });
  const seen: string[] = [];
  stream.on('response.output_text.delta', (event) => seen.push(event.delta));
  const final = await stream.finalResponse();
  expect(seen.join('')).toBe(final.output_text);
  expect(final.usage?.output_tokens).toBeGreaterThan(seen.length);
});
