import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import OpenAI from 'openai';
import { expect, onTestFinished } from 'vitest';
import type { Fault } from './faults/fault.ts';
import type { FaultMatch } from './faults/fault-list.ts';
import type { ToolUse } from './generation/calls.ts';
import { isObject, type JsonObject } from './http/fields.ts';
import type { JournalEntry } from './http/journal.ts';
import { createSimulator, type SimulatorOptions } from './simulator.ts';

export const KEY = 'sk-proj-test-0123456789abcdefghijklmnop';

/** A request without tools. */
export const noTools: ToolUse = {
  functions: [],
  runsCode: false,
  searchesWeb: false,
  drawsPictures: false,
  choice: 'auto',
  parallel: true,
  outputs: [],
  rounds: 0,
};

type Answer = { status: number; headers: Headers; text: string; body: JsonObject };

export type Event = JsonObject & { type: string };

/** A running simulator with the calls that the tests use. */
export async function startedSimulator(options: SimulatorOptions = {}) {
  const simulator = createSimulator({ tokenDelayMs: 0, ...options });
  const { url, origin } = await simulator.listen();
  onTestFinished(() => simulator.close());
  const call = callerOf(url);
  const control = callerOf(`${origin}/__simulator`);
  return {
    url,
    origin,
    ...call,
    control,
    sdk: (key = KEY) => new OpenAI({ apiKey: key, baseURL: url, maxRetries: 0 }),
    fault: (fault: Fault, match: FaultMatch = {}, times?: number) =>
      control.post('/faults', { fault, match, ...(times === undefined ? {} : { times }) }),
    advance: (advanceMs: number) => control.post('/clock', { advanceMs }),
    async journal(): Promise<JournalEntry[]> {
      const { text } = await control.get('/requests');
      const answer: { requests: JournalEntry[] } = JSON.parse(text);
      return answer.requests;
    },
    close: () => simulator.close(),
  };
}

export type StartedSimulator = Awaited<ReturnType<typeof startedSimulator>>;

async function answered(response: Response): Promise<Answer> {
  const text = await response.text();
  const parsed: unknown = /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, text, body: isObject(parsed) ? parsed : {} };
}

function callerOf(base: string) {
  const headers = (key: string, more: object = {}) => ({ authorization: `Bearer ${key}`, ...more });
  const open = (path: string, body: object, key = KEY, signal?: AbortSignal) =>
    fetch(`${base}${path}`, {
      method: 'POST',
      headers: headers(key, { 'content-type': 'application/json' }),
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  return {
    open,
    get: async (path: string, key = KEY, more: object = {}) =>
      answered(await fetch(`${base}${path}`, { headers: headers(key, more) })),
    delete: async (path: string, key = KEY) =>
      answered(await fetch(`${base}${path}`, { method: 'DELETE', headers: headers(key) })),
    post: async (path: string, body: object = {}, key = KEY) => answered(await open(path, body, key)),
    async upload(content: string, filename: string, purpose: string, key = KEY): Promise<Answer> {
      const form = new FormData();
      form.set('purpose', purpose);
      form.set('file', new Blob([content]), filename);
      return answered(await fetch(`${base}/files`, { method: 'POST', headers: headers(key), body: form }));
    },
  };
}

/** The events of a stream that has ended. */
export function eventsIn(text: string): Event[] {
  return text
    .split('\n\n')
    .flatMap((block) => block.split('\n').filter((line) => line.startsWith('data: ')))
    .map((line) => line.slice('data: '.length))
    .filter((data) => data !== '[DONE]')
    .map((data): Event => JSON.parse(data));
}

export function typesOf(events: readonly Event[]): string[] {
  return events.map((event) => event.type);
}

/** Without consecutive repetitions: the number of deltas is not part of the order. */
export function orderOf(events: readonly Event[]): string[] {
  return typesOf(events).filter((type, index, all) => type !== all[index - 1]);
}

export function deltasIn(events: readonly Event[], type = 'response.output_text.delta'): string {
  return events
    .filter((event) => event.type === type)
    .map((event) => event.delta)
    .join('');
}

export function at(value: unknown, ...path: (string | number)[]): unknown {
  let found = value;
  for (const step of path) {
    if (Array.isArray(found) && typeof step === 'number') found = found.at(step);
    else if (isObject(found) && typeof step === 'string') found = found[step];
    else return undefined;
  }
  return found;
}

export function textAt(value: unknown, ...path: (string | number)[]): string {
  const found = at(value, ...path);
  if (typeof found !== 'string') throw new Error(`No text at ${path.join('.')} of ${JSON.stringify(value)}`);
  return found;
}

export function listAt(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = at(value, ...path);
  if (!Array.isArray(found)) throw new Error(`No list at ${path.join('.')} of ${JSON.stringify(value)}`);
  return found;
}

const schemas: { $defs: { [name: string]: JsonObject } } = JSON.parse(
  readFileSync(new URL('../fixtures/openapi-schemas.json', import.meta.url), 'utf8'),
);
const ajv = new Ajv2020({ strict: false, logger: false, allErrors: false });
addFormats.default(ajv);
ajv.addSchema(schemas);

/** Fails unless the value matches OpenAI's own description of its API. */
export function expectSchema(name: string, value: unknown): void {
  const validate = ajv.getSchema(`openai#/$defs/${name}`);
  if (validate === undefined) throw new Error(`No schema ${name} in the fixture`);
  const valid = validate(value);
  expect(valid ? [] : validate.errors, `${name}: ${JSON.stringify(value)?.slice(0, 1_000)}`).toEqual([]);
}

const eventSchemas = new Map<string, string>();
for (const [name, schema] of Object.entries(schemas.$defs)) {
  const type = at(schema, 'properties', 'type', 'enum', 0);
  if (name.startsWith('Response') && name.endsWith('Event') && typeof type === 'string') eventSchemas.set(type, name);
}

/** Checks an event against the schema of its own type, so that a failure names what is wrong with it. */
export function expectEventSchema(event: Event): void {
  const name = eventSchemas.get(event.type);
  if (name === undefined) throw new Error(`No schema for events of type ${event.type}`);
  expectSchema(name, event);
}

export function expectError(answer: Answer, status: number, fields: JsonObject): void {
  expect(answer.status).toBe(status);
  expectSchema('ErrorResponse', answer.body);
  expect(answer.body.error).toMatchObject(fields);
}
