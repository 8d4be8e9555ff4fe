import { apiTokens } from '@roster/contracts/api-tokens';
import { ApiErrorBody } from '@roster/contracts/public-api/endpoint';
import { call } from '#web/lib/api-client.ts';

/** The request for display, without the token. */
export type TriedRequest = { address: string; body: string };
/** `refusal`: what is wrong with a response that is not an answer. */
export type TriedAnswer = { status: number; seconds: number; text: string; refusal: string | null };

const path = '/v1/chat/completions';

export const requestOf = (model: string, message: string): TriedRequest => ({
  address: `${window.location.origin}${path}`,
  body: JSON.stringify({ model, messages: [{ role: 'user', content: message }] }, undefined, 2),
});

/** Indents JSON. */
function readable(text: string): { text: string; refusal: string | null } {
  try {
    const said: unknown = JSON.parse(text);
    const refused = ApiErrorBody.safeParse(said);
    return { text: JSON.stringify(said, undefined, 2), refusal: refused.data?.error.message ?? null };
  } catch {
    // Not JSON; shown as it is.
    return { text, refusal: null };
  }
}

/** Calls the API as a client would: with its own token and no cookies. */
export async function tryCall(body: string, signal: AbortSignal): Promise<TriedAnswer> {
  const { token } = await call(apiTokens.createTrial, {}, signal);
  const began = performance.now();
  const answer = await fetch(path, {
    method: 'POST',
    credentials: 'omit',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
    signal,
  });
  const said = readable(await answer.text());
  return { status: answer.status, seconds: (performance.now() - began) / 1000, ...said };
}
