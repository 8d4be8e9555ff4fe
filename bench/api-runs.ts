import { now } from './clock.ts';
import type { Program } from './processes.ts';
import { get, type Person, post } from './roster.ts';
import { follow, sendRequest } from './streams.ts';
import { bearer, type Headers, type Target } from './targets.ts';
import { runForm } from './tokens.ts';

const beta = { 'openai-beta': 'assistants=v2' };

/** Each user's assistant, by the id that clients use. */
export async function assistantsOf(port: number, tokens: Map<Person, string>): Promise<Map<Person, string>> {
  const found = new Map<Person, string>();
  for (const [person, token] of tokens) {
    const headers = { ...bearer(token), ...beta };
    const { data } = await get<{ data: { id: string }[] }>(port, '/v1/assistants', headers);
    found.set(person, data[0]?.id ?? '');
  }
  return found;
}

/** A run of the Assistants API in an existing thread: stored before the provider is called, and streamed as events. */
export const runTarget = (
  port: number,
  program: Program,
  headersOf: Headers,
  assistants: Map<Person, string>,
): Target => ({
  name: 'Roster',
  program,
  async stream(person, message, count, agent) {
    const headers = { ...headersOf(person), ...beta };
    const messages = [{ role: 'user', content: message }];
    const thread = await post<{ id: string }>(port, '/v1/threads', headers, { messages });
    const body = JSON.stringify({ assistant_id: assistants.get(person), stream: true });
    const asked = now();
    const answer = await sendRequest({
      port,
      method: 'POST',
      path: `/v1/threads/${thread.id}/runs`,
      headers,
      body,
      agent,
    });
    return follow(answer, { count, form: runForm, asked, accepted: Number.NaN });
  },
});
