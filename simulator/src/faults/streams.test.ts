import { describe, expect, test } from 'vitest';
import { at, deltasIn, eventsIn, expectEventSchema, startedSimulator, typesOf } from '../testing.ts';
import type { Fault } from './fault.ts';

const ask = { model: 'gpt-4o', input: 'Tell me about lighthouses', stream: true };

function deltasOf(events: ReturnType<typeof eventsIn>): number {
  return typesOf(events).filter((type) => type === 'response.output_text.delta').length;
}

describe('streams', () => {
  async function withFault(fault: Fault) {
    const simulator = await startedSimulator();
    await simulator.fault(fault);
    const { text } = await simulator.post('/responses', ask);
    return text;
  }

  test('contain an event that is not JSON, and continue', async () => {
    const text = await withFault({ malformedAfter: 2 });
    const data = text.split('\n').filter((line) => line.startsWith('data: '));
    const broken = data.filter((line) => {
      try {
        JSON.parse(line.slice('data: '.length));
        return false;
      } catch {
        return true;
      }
    });
    expect(broken).toEqual(['data: {"type":"response.output_text.delta","delta":"brok']);
    expect(text).toContain('response.completed');
  });

  test('contain unknown events, which clients skip', async () => {
    const events = eventsIn(await withFault({ unknownEvents: true }));
    expect(events.some((event) => event.type === 'response.daydream.delta')).toBe(true);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const { post } = await startedSimulator();
    expect(deltasIn(events)).toBe(deltasIn(eventsIn((await post('/responses', ask)).text)));
  });

  test('arrive in fragments and are the same', async () => {
    const withoutIds = (text: string) =>
      text.replaceAll(/"(id|item_id)":"[a-z]+_[0-9a-f]+"|"(created|completed)_at":\d+/g, '');
    const { post } = await startedSimulator();
    const plain = (await post('/responses', ask)).text;
    expect(withoutIds(await withFault({ fragments: true }))).toBe(withoutIds(plain));
  });

  test('end with an error event', async () => {
    const events = eventsIn(await withFault({ errorAfter: 4 }));
    const last = events.at(-1);
    expect(last).toMatchObject({
      type: 'error',
      code: 'server_error',
      param: null,
      sequence_number: events.length - 1,
    });
    expect(deltasOf(events)).toBe(4);
    if (last !== undefined) expectEventSchema({ ...last, type: 'error' });
  });

  test('end with response.failed', async () => {
    const events = eventsIn(await withFault({ failedAfter: 4 }));
    const last = events.at(-1);
    expect(last?.type).toBe('response.failed');
    expect(at(last, 'response', 'error', 'code')).toBe('server_error');
    expect(at(last, 'response', 'status')).toBe('failed');
    for (const event of events) expectEventSchema(event);
  });

  test('end with response.incomplete', async () => {
    const events = eventsIn(await withFault({ incomplete: 'content_filter', incompleteAfter: 3 }));
    expect(events.at(-1)?.type).toBe('response.incomplete');
    expect(at(events.at(-1), 'response', 'incomplete_details', 'reason')).toBe('content_filter');
    expect(deltasOf(events)).toBe(3);
  });
});
