import type { Agent } from 'node:http';
import { now } from './clock.ts';
import type { Program } from './processes.ts';
import type { Person } from './roster.ts';
import { follow, type StreamReport, sendRequest, textOf } from './streams.ts';
import { providerForm, rosterForm } from './tokens.ts';

/** A route from the provider to the client. */
export type Target = {
  name: string;
  /** The program whose resources are measured; the lowest floor, the provider itself, has none. */
  program: Program | undefined;
  /** Requests an answer of `count` numbered tokens. */
  stream: (person: Person, message: string, count: number, agent: Agent) => Promise<StreamReport>;
};

export const model = 'gpt-4o';
export const instructions =
  'You answer questions about our products. Be brief, name the page of the manual that you used, and say so when you are not sure. Never promise a date.';

export const messageFor = (count: number, delayMs: number) => `[[bench ${count}]] [[delay ${delayMs}]]`;

/** A relay of the provider's own API: Roster's own request and the unmodified response. */
export function relayTarget(
  name: string,
  port: number,
  program: Program | undefined,
  more: Record<string, string> = {},
): Target {
  return {
    name,
    program,
    async stream({ key }, message, count, agent) {
      const input = [{ role: 'user', content: message }];
      const body = JSON.stringify({ model, input, stream: true, store: false, instructions, temperature: 0.7 });
      const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...more };
      const asked = now();
      const answer = await sendRequest({ port, method: 'POST', path: '/v1/responses', headers, body, agent });
      return follow(answer, { count, form: providerForm, asked, accepted: Number.NaN });
    },
  };
}

/** Roster as a browser uses it: the message is stored and acknowledged with 202, then its events are read. */
export function rosterTarget(port: number, program: Program): Target {
  return {
    name: 'Roster',
    program,
    async stream({ headers, threadId }, message, count, agent) {
      const clientId = `bench-${crypto.randomUUID()}`;
      const path = `/api/threads/${threadId}/messages`;
      const asked = now();
      const stored = await sendRequest({
        port,
        method: 'POST',
        path,
        headers,
        body: JSON.stringify({ message, clientId }),
        agent,
      });
      const text = await textOf(stored);
      const accepted = now() - asked;
      if (stored.statusCode !== 202) throw new Error(`Roster answered ${stored.statusCode}: ${text}`);
      const { run }: { run: { id: number } } = JSON.parse(text);
      const events = await sendRequest({ port, method: 'GET', path: `/api/runs/${run.id}/events`, headers, agent });
      return follow(events, { count, form: rosterForm, asked, accepted });
    },
  };
}

/** Below /v1, as a client calls it. */
export const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

export type Headers = (person: Person) => Record<string, string>;
