import type { Empty, Endpoint } from '@roster/contracts/endpoint';
import type { ErrorBody } from '@roster/contracts/errors';
import type { z } from 'zod';

/** A failed call. `status` is 0 if there was no response. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string;
  /** False if the response had no message; then use the caller's. */
  readonly hasServerMessage: boolean;
  readonly fields: Readonly<Record<string, string>> | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    details: {
      status: number;
      code: string;
      hasServerMessage: boolean;
      fields?: Readonly<Record<string, string>> | undefined;
      requestId?: string | undefined;
      retryAfterSeconds?: number | undefined;
    },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = details.status;
    this.code = details.code;
    this.hasServerMessage = details.hasServerMessage;
    this.fields = details.fields;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** The server's message, else `fallback`, else a text for the status. */
export function errorText(error: unknown, fallback?: string): string {
  if (error instanceof ApiError) return error.hasServerMessage ? error.message : (fallback ?? error.message);
  if (fallback) return fallback;
  return error instanceof Error ? error.message : 'An unexpected error occurred.';
}

/** The schema without `Nothing`, which marks a part that a contract omits. */
type Real<Schema> = Schema extends unknown
  ? typeof Empty extends Schema
    ? Schema extends typeof Empty
      ? never
      : Schema
    : Schema
  : never;

type Part<Name extends string, Schema extends z.ZodType> = [Schema] extends [never]
  ? { [name in Name]?: never }
  : Record<string, never> extends z.input<Schema>
    ? { [name in Name]?: z.input<Schema> | undefined }
    : { [name in Name]: z.input<Schema> };

/** Input of a call: only the parts that its contract names. */
type Input<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = Part<'params', Real<P>> &
  Part<'query', Real<Q>> &
  Part<'body', Real<B>>;

/** Makes a call as its contract describes it. Throws ApiError; shows no message and does not navigate. */
export async function call<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
  endpoint: Endpoint<P, Q, B, O>,
  input: Input<P, Q, B>,
  signal?: AbortSignal,
): Promise<z.output<O>> {
  return parsedAnswer(await fetchResponse(endpoint, input, signal));
}

/** Makes a call for a page of a list; the `Link` header has the next cursor. */
export async function callPage<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
  endpoint: Endpoint<P, Q, B, O>,
  input: Input<P, Q, B>,
  signal?: AbortSignal,
): Promise<{ items: z.output<O>; nextCursor: string | null }> {
  const response = await fetchResponse(endpoint, input, signal);
  const next = /<([^>]*)>; *rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  const nextCursor = next === undefined ? null : new URL(next, location.origin).searchParams.get('cursor');
  return { items: await parsedAnswer(response), nextCursor };
}

/** Makes a call whose response is the bytes of a file. */
export function callForBytes<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  endpoint: Endpoint<P, Q, B>,
  input: Input<P, Q, B>,
  signal?: AbortSignal,
): Promise<Response> {
  return fetchResponse(endpoint, input, signal);
}

async function fetchResponse(
  endpoint: Endpoint,
  input: AnyInput,
  signal: AbortSignal | undefined,
  isRepeated = false,
): Promise<Response> {
  const response = await request(endpoint, input, signal);
  if (response.ok) return response;
  const error = await readError(response);
  const isStale = error.code === 'fresh_sign_in_required' && !isRepeated;
  if (!isStale || !(await confirmIdentity?.())) throw error;
  return fetchResponse(endpoint, input, signal, true);
}

let confirmIdentity: (() => Promise<boolean>) | undefined;

/** For calls that require a fresh sign-in: `confirm` asks the user, and the call is repeated unless it returns false. */
export const confirmIdentityWith = (confirm: typeof confirmIdentity): void => {
  confirmIdentity = confirm;
};

async function parsedAnswer(response: Response) {
  const answer = await response.text();
  // The server serializes responses by the same contract, so they are not validated again here.
  const parsed = answer === '' ? undefined : JSON.parse(answer);
  return parsed;
}

/** URL of a call that the browser opens itself: downloads, event streams. */
export function urlOf<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  endpoint: Endpoint<P, Q, B>,
  input: Input<P, Q, B>,
): string {
  return address(endpoint, input);
}

type AnyInput = { params?: unknown; query?: unknown; body?: unknown };

function address(endpoint: Endpoint, { params, query }: AnyInput): string {
  const given = entries(params);
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(given.get(name) ?? '')),
  );
  const search = new URLSearchParams();
  for (const [name, value] of entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size > 0 ? `${path}?${search}` : path;
}

function entries(value: unknown): Map<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

async function request(endpoint: Endpoint, input: AnyInput, signal: AbortSignal | undefined): Promise<Response> {
  const init: RequestInit = {
    method: endpoint.method,
    credentials: 'same-origin',
    headers: { accept: 'application/json' },
  };
  if (signal) init.signal = signal;
  if (input.body !== undefined) {
    init.body = JSON.stringify(input.body);
    init.headers = { ...init.headers, 'content-type': 'application/json' };
  } else if (endpoint.method !== 'GET' && endpoint.method !== 'DELETE') {
    init.body = '{}';
    init.headers = { ...init.headers, 'content-type': 'application/json' };
  }
  try {
    return await fetch(address(endpoint, input), init);
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ApiError(
      'The server cannot be reached. Check your connection and try again.',
      { status: 0, code: 'unreachable', hasServerMessage: false },
      { cause },
    );
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Reads what it can from the JSON body of an error. */
function errorBodyOf(answer: unknown): Partial<ErrorBody> {
  const given = entries(answer);
  const [code, message, requestId] = [given.get('code'), given.get('message'), given.get('requestId')];
  const fields = [...entries(given.get('fields'))].filter((field): field is [string, string] => isText(field[1]));
  return {
    ...(isText(code) && { code }),
    ...(isText(message) && { message }),
    ...(isText(requestId) && { requestId }),
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
  };
}

/** Reads an error response, from our server or from a proxy in front of it. */
export async function readError(response: Response): Promise<ApiError> {
  const body = errorBodyOf(await response.json().catch(() => null));
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(body.message ?? (response.statusText || `HTTP Error ${response.status}`), {
    status: response.status,
    code: body.code ?? 'unknown',
    hasServerMessage: body.message !== undefined,
    fields: body.fields,
    requestId: body.requestId,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}
