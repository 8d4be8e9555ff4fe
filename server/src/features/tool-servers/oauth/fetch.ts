import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Outgoing, OutgoingAnswer } from '#server/http/outgoing';

/** Of a description, a registration or tokens. */
const bodyLimit = 256 * 1024;
const noBody = new Set([204, 205, 304]);

async function textOf({ body }: OutgoingAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** How the SDK asks those whom a person signs in with: through the guard, all of it together within a time. */
export function oauthFetch(outgoing: Outgoing, withinMs: number): FetchLike {
  const until = performance.now() + withinMs;
  return async (address, init = {}) => {
    const { body } = init;
    const answer = await outgoing.send({
      url: new URL(address),
      method: init.method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(body !== undefined && body !== null && { body: String(body) }),
      withinMs: Math.max(1, Math.ceil(until - performance.now())),
      bodyLimit,
      // The SDK goes on within the origin, by the guard again; secrets go nowhere else.
      redirects: 'leave',
    });
    const { status, headers } = answer;
    const text = await textOf(answer);
    return new Response(noBody.has(status) ? null : text, { status: status > 599 ? 502 : status, headers });
  };
}
