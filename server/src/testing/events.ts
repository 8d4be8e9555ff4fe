import type { RunEvent } from '@roster/contracts/chat';
import { RunEvent as RunEventSchema } from '@roster/contracts/chat';
import { createParser } from 'eventsource-parser';
import { request } from 'undici';
import type { HttpClient } from './http-client.ts';
import { patienceMs } from './patience.ts';

export type NumberedEvent = { number: number; event: RunEvent };

type Place = { url: string };
type Options = {
  /** The last event that was seen: resumes after it. */
  after?: number;
  /** Disconnects after this many events. */
  leaveAfter?: number;
};

/** Opens the events of a run, as a tab does. */
export async function openEvents(
  place: Place,
  visitor: HttpClient,
  runId: number,
  { after, leaveAfter }: Options = {},
) {
  const response = await request(`${place.url}/api/runs/${runId}/events`, {
    headers: {
      accept: 'text/event-stream',
      cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(after !== undefined && { 'last-event-id': String(after) }),
    },
  });
  const { body } = response;
  const events: NumberedEvent[] = [];
  const ended = Promise.withResolvers<void>();
  const waiting = new Set<() => void>();
  let hasEnded = false;

  const parser = createParser({
    onEvent({ id, event: name, data }) {
      const event = RunEventSchema.parse(JSON.parse(data));
      if (event.type !== name) throw new Error(`The event ${data} is called ${name}`);
      events.push({ number: Number(id), event });
      if (events.length === leaveAfter) body.destroy();
    },
  });
  const decoder = new TextDecoder();
  function end() {
    hasEnded = true;
    for (const check of waiting) check();
    ended.resolve();
  }
  body.on('data', (chunk: Buffer) => {
    parser.feed(decoder.decode(chunk, { stream: true }));
    for (const check of waiting) check();
  });
  // A reader that disconnects, or loses the server, keeps its events.
  body.on('error', end);
  body.on('end', end);
  body.on('close', end);

  async function within<T>(promise: Promise<T>, what: string): Promise<T> {
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new Error(`${what} did not happen; seen: ${JSON.stringify(events.slice(-3))}`)),
      patienceMs,
    );
    try {
      return await Promise.race([promise, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    status: response.statusCode,
    headers: response.headers,
    events,
    get hasEnded() {
      return hasEnded;
    },
    /** Resolves with all events when the stream has ended. */
    async all(): Promise<NumberedEvent[]> {
      await within(ended.promise, 'The end of the stream');
      return events;
    },
    /** Resolves after this many events. */
    async until(count: number): Promise<void> {
      const reached = Promise.withResolvers<void>();
      const check = () => {
        if (events.length >= count) reached.resolve();
        else if (hasEnded) reached.reject(new Error(`The stream ended after ${events.length} of ${count} events`));
      };
      waiting.add(check);
      check();
      await within(reached.promise, `Event ${count}`).finally(() => waiting.delete(check));
    },
    leave() {
      body.destroy();
    },
  };
}

export type EventReader = Awaited<ReturnType<typeof openEvents>>;

/** Reads until the stream ends. */
export async function readEvents(place: Place, visitor: HttpClient, runId: number, options: Options = {}) {
  const reader = await openEvents(place, visitor, runId, options);
  if (reader.status !== 200) throw new Error(`The events of run ${runId} were answered with ${reader.status}`);
  return reader.all();
}

const joined = (events: NumberedEvent[], type: 'text' | 'reasoning') =>
  events.map(({ event }) => (event.type === type ? event.text : '')).join('');

export const textOf = (events: NumberedEvent[]) => joined(events, 'text');
export const reasoningOf = (events: NumberedEvent[]) => joined(events, 'reasoning');
export const notesOf = (events: NumberedEvent[]) =>
  events.flatMap(({ event }) => (event.type === 'note' ? [event.text] : []));
export const lastOf = (events: NumberedEvent[]) => events.at(-1)?.event;
export const numbersOf = (events: NumberedEvent[]) => events.map(({ number }) => number);
/** 1, 2, 3 … */
export const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
