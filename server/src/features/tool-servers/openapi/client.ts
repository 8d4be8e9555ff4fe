import type { ToolResult } from '#server/conversation/tools';
import { ToolServerError } from '#server/features/tool-servers/shared/failure';
import { AddressBlockedError, OutboundRequestError } from '#server/outbound/errors';
import type { OutboundResponse, SsrfGuard } from '#server/outbound/ssrf-guard';
import { answerText } from './answer.ts';
import { checkArguments, InvalidArgumentsError } from './arguments.ts';
import type { Operation } from './operation.ts';
import type { SecretPlace } from './parameters.ts';
import { type Request, requestOf } from './request.ts';

export type Secret = NonNullable<SecretPlace> & { value: string };
type Bounds = { withinMs: number; signal: AbortSignal };
type OperationCall = { url: string; secret: Secret | null; operation: Operation; inputSchema: Record<string, unknown> };

const descriptionBytes = 20 * 1024 * 1024;
/** Limit for what is received; far less of it is read. */
const answerBytes = 16 * 1024 * 1024;
const maxRedirects = 3;
const redirects = new Set([301, 302, 303, 307, 308]);

function failureOf(error: unknown, signal: AbortSignal, called: boolean): unknown {
  const failure = (message: string, mayHaveRun: boolean) => new ToolServerError(message, { mayHaveRun, cause: error });
  if (error instanceof AddressBlockedError) return failure(error.message, false);
  if (signal.aborted) return failure('The call was stopped.', called);
  return error instanceof OutboundRequestError ? failure(error.message, called && error.sent) : error;
}

function ofStatus(status: number): string {
  if (status === 401 || status === 403)
    return `The description requires authentication (${status}). Paste its text instead.`;
  if (status === 404) return 'There is nothing at the address of the description (404).';
  if (status >= 500) return `The server of the description returned an error (${status}). Please try again later.`;
  return `The description could not be fetched (${status}).`;
}

async function whole(answer: OutboundResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Adds the secret. It goes to the origin of the base URL only. */
function withSecret(url: URL, secret: Secret | null): { url: URL; credentials?: Record<string, string> } {
  if (!secret) return { url };
  if (secret.in === 'header') return { url, credentials: { [secret.name]: secret.value } };
  const own = new URL(url);
  if (own.searchParams.has(secret.name)) own.searchParams.delete(secret.name);
  const pair = `${encodeURIComponent(secret.name)}=${encodeURIComponent(secret.value)}`;
  own.search = own.search ? `${own.search}&${pair}` : `?${pair}`;
  return { url: own };
}

/** Follows redirects within the origin, for requests that only read. */
async function sendOperation(
  outgoing: SsrfGuard,
  first: Request,
  secret: Secret | null,
  bounds: Bounds,
): Promise<OutboundResponse> {
  const isReadOnly = first.method === 'GET' || first.method === 'HEAD';
  const until = performance.now() + bounds.withinMs;
  let { url } = first;
  for (let count = 0; ; count++) {
    const answer = await outgoing.sendRequest({
      ...first,
      ...withSecret(url, secret),
      signal: bounds.signal,
      withinMs: Math.max(1, Math.ceil(until - performance.now())),
      bodyLimit: answerBytes,
      redirects: 'leave',
    });
    if (!redirects.has(answer.status)) return answer;
    const to = URL.parse(answer.headers.get('location') ?? '', url.href);
    answer.drop();
    if (!to || to.origin !== url.origin || !isReadOnly || count >= maxRedirects)
      throw new ToolServerError(
        'The service sends this call to another address, which Roster does not follow. Check its base URL.',
        { mayHaveRun: !isReadOnly },
      );
    url = to;
  }
}

/** Calls services that an OpenAPI description describes. */
export function openApiClient(outgoing: SsrfGuard) {
  return {
    /** @throws ToolServerError */
    async description(url: string, bounds: Bounds): Promise<string> {
      try {
        const answer = await outgoing.sendRequest({
          url: new URL(url),
          method: 'GET',
          headers: { accept: 'application/json, application/yaml, text/*;q=0.9, */*;q=0.1', 'user-agent': 'Roster' },
          ...bounds,
          bodyLimit: descriptionBytes,
          redirects: 'follow',
        });
        if (answer.status === 200) return await whole(answer);
        answer.drop();
        throw new ToolServerError(ofStatus(answer.status), { mayHaveRun: false });
      } catch (error) {
        throw failureOf(error, bounds.signal, false);
      }
    },
    /** @throws ToolServerError */
    async call(
      { url, secret, operation, inputSchema }: OperationCall,
      input: Record<string, unknown>,
      bounds: Bounds,
    ): Promise<ToolResult> {
      try {
        checkArguments(input, inputSchema);
        const answer = await sendOperation(outgoing, requestOf(url, operation, input, secret), secret, bounds);
        return await answerText(answer, secret?.value ?? null);
      } catch (error) {
        if (error instanceof InvalidArgumentsError) return { text: error.message, isError: true };
        throw failureOf(error, bounds.signal, true);
      }
    },
  };
}

export type OpenApiClient = ReturnType<typeof openApiClient>;
