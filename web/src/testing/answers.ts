import type { Endpoint } from '@roster/contracts/endpoint';
import { type ErrorCode, errorStatus } from '@roster/contracts/errors';
import { expect, vi } from 'vitest';
import type { z } from 'zod';

/** A call as its contract parses it. */
export type Call<P = unknown, Q = unknown, B = unknown> = { params: P; query: Q; body: B };

/** An error response, or no response at all (`unreachable`). */
export class Refusal {
  readonly body: { code: string; message: string; fields?: Record<string, string>; requestId: string };
  readonly status: number;
  constructor(code: ErrorCode, message: string, fields?: Record<string, string>) {
    this.status = errorStatus[code];
    this.body = { code, message, ...(fields && { fields }), requestId: 'test' };
  }
}
export const refusal = (code: ErrorCode, message: string, fields?: Record<string, string>) =>
  new Refusal(code, message, fields);

class Unreachable extends TypeError {}

/** One page of a list, with the cursor of the next. */
export class ListPage<Items> {
  readonly items: Items;
  readonly nextCursor: string;
  constructor(items: Items, nextCursor: string) {
    this.items = items;
    this.nextCursor = nextCursor;
  }
}

/** A `Response` is returned as it is; `Response.error()` simulates a network failure. */
type Answer<O> = O | ListPage<O> | Refusal | Response;
type Reply<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType> =
  | Answer<z.input<O>>
  | ((call: Call<z.output<P>, z.output<Q>, z.output<B>>) => Answer<z.input<O>> | Promise<Answer<z.input<O>>>);

type Made = Call & { endpoint: Endpoint };
type Answering = { endpoint: Endpoint; pattern: RegExp; reply: (call: Made) => unknown };

let answering: Answering[] = [];
let made: Made[] = [];
let unanswered: string[] = [];

const patternOf = ({ path }: Endpoint) => new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);

/**
 * Sets how an endpoint answers from here on; the last call wins. Requests and answers are validated by the contract, so
 * that no test relies on a server that does not exist.
 */
export function answer<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
  endpoint: Endpoint<P, Q, B, O>,
  reply: NoInfer<Reply<P, Q, B, O>>,
): void;
export function answer(endpoint: Endpoint, reply: unknown): void {
  const say = typeof reply === 'function' ? (call: Made) => reply(call) : () => reply;
  answering.unshift({ endpoint, pattern: patternOf(endpoint), reply: say });
}

/** Answers a call only when the test releases it. */
export function hold<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
  endpoint: Endpoint<P, Q, B, O>,
): (reply: Answer<z.input<O>>) => void {
  const answered = Promise.withResolvers<Answer<z.input<O>>>();
  answer(endpoint, () => answered.promise);
  return answered.resolve;
}

/** Requests made to an endpoint, in order. */
export function requestsTo<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  endpoint: Endpoint<P, Q, B>,
): Call<z.output<P>, z.output<Q>, z.output<B>>[];
export function requestsTo(endpoint: Endpoint): Call[] {
  return made.filter((call) => call.endpoint === endpoint);
}

/** Methods and paths of all requests that change something. */
export const changes = (): string[] =>
  made.filter(({ endpoint }) => endpoint.method !== 'GET').map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`);

async function fetchFromTest(...given: Parameters<typeof fetch>): Promise<Response> {
  const request = new Request(...given);
  const { pathname } = new URL(request.url);
  const found = answering.find(({ endpoint, pattern }) => endpoint.method === request.method && pattern.test(pathname));
  if (!found) {
    unanswered.push(`${request.method} ${pathname}`);
    return Response.json({ code: 'not_found', message: 'The test answers no such call.' }, { status: 404 });
  }
  return responseTo(request, found).catch((cause: unknown) => {
    if (!(cause instanceof Unreachable)) unanswered.push(`${request.method} ${pathname}: ${cause}`);
    throw cause;
  });
}

async function responseTo(request: Request, { endpoint, pattern, reply }: Answering): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const text = await request.text();
  const body = endpoint.body.safeParse(text === '' ? {} : JSON.parse(text));
  if (!body.success) return responseOf(endpoint, refusalOf(body.error));
  const call: Made = {
    endpoint,
    params: endpoint.params.parse(pattern.exec(pathname)?.groups ?? {}),
    query: endpoint.query.parse(Object.fromEntries(searchParams)),
    body: body.data,
  };
  made.push(call);
  return responseOf(endpoint, await reply(call));
}

/** Builds the error that the server sends for input its contract rejects. */
function refusalOf({ issues }: z.ZodError): Refusal {
  const fields = Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message]));
  return refusal('invalid_input', issues[0]?.message ?? 'Invalid input', fields);
}

function responseOf({ output, status }: Endpoint, given: unknown): Response {
  if (given instanceof Refusal) return Response.json(given.body, { status: given.status });
  if (given instanceof Response) {
    if (given.type === 'error') throw new Unreachable('Failed to fetch');
    return given;
  }
  const next =
    given instanceof ListPage ? { link: `<${location.origin}/api?cursor=${given.nextCursor}>; rel="next"` } : {};
  const value = output.parse(given instanceof ListPage ? given.items : given);
  return status === 204 ? new Response(null, { status }) : Response.json(value, { status, headers: next });
}

/** Call before each test: resets the server, which then answers nothing. */
export function resetAnswers(): void {
  answering = [];
  made = [];
  unanswered = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(fetchFromTest);
}

/** Call after each test. */
export function expectAnswered(): void {
  expect(unanswered, 'calls that the test does not answer').toEqual([]);
}
