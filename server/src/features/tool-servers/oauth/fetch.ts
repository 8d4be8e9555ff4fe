import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isObject } from '#server/lib/is-object';
import type { OutboundResponse, SsrfGuard } from '#server/outbound/ssrf-guard';

/** Bytes of a description, a registration or tokens. */
const bodyLimit = 256 * 1024;
const noBody = new Set([204, 205, 304]);

async function textOf({ body }: OutboundResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The same answer without empty fields: servers write null or an empty text where OAuth wants a field omitted, and the
 * SDK then refuses the whole answer. A lifetime that is not a number is left out too.
 */
function withoutNulls(text: string): string {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    // An answer in another form is refused where it is read.
    return text;
  }
  if (!isObject(answer)) return text;
  const fields = Object.entries(answer).filter(
    ([name, value]) => value !== null && value !== '' && !(timesIn.has(name) && !Number.isFinite(Number(value))),
  );
  const asNumbers = fields.map(([name, value]) => [name, timesIn.has(name) ? Number(value) : value]);
  return JSON.stringify(Object.fromEntries(asNumbers));
}
const timesIn = new Set(['expires_in', 'client_id_issued_at', 'client_secret_expires_at']);

/** Fetch function for the SDK's sign-in requests: uses the guard, with one time limit for all of them. */
export function oauthFetch(outgoing: SsrfGuard, withinMs: number): FetchLike {
  const until = performance.now() + withinMs;
  return async (address, init = {}) => {
    const { body } = init;
    const answer = await outgoing.sendRequest({
      url: new URL(address),
      method: init.method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(body !== undefined && body !== null && { body: String(body) }),
      withinMs: Math.max(1, Math.ceil(until - performance.now())),
      bodyLimit,
      // The SDK follows redirects within the origin, through the guard again; secrets go nowhere else.
      redirects: 'leave',
    });
    const { status, headers } = answer;
    const text = withoutNulls(await textOf(answer));
    return new Response(noBody.has(status) ? null : text, { status: status > 599 ? 502 : status, headers });
  };
}
