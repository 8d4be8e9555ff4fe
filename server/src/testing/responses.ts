import OpenAI from 'openai';
import { newToken } from './access-tokens.ts';
import { withDatabase } from './database.ts';
import type { HttpClient } from './http-client.ts';
import { conforming } from './openai-schema.ts';
import { until } from './until.ts';

export const responsesPath = '/v1/responses';

export type StreamedEvent = { type: string; sequence_number: number; [field: string]: unknown };

/** Schemas whose names do not follow from the event's. */
const otherwiseNamed = new Map([
  ['error', 'ResponseErrorEvent'],
  ['response.output_text.delta', 'ResponseTextDeltaEvent'],
  ['response.output_text.done', 'ResponseTextDoneEvent'],
]);
const schemaOf = (type: string) =>
  otherwiseNamed.get(type) ?? `${type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;

/** The events of a stream, each checked against the provider's description and Open Responses. */
export function eventsIn(text: string): StreamedEvent[] {
  const blocks = text.split('\n\n').filter((block) => block !== '');
  if (blocks.pop() !== 'data: [DONE]') throw new Error(`The stream does not end with [DONE]: ${text.slice(-500)}`);
  return blocks.map((block, index) => {
    const [, name, data] = /^event: (\S+)\ndata: (.*)$/.exec(block) ?? [];
    const event: StreamedEvent = JSON.parse(data ?? 'null');
    if (event.type !== name) throw new Error(`The event ${name} says that it is ${event.type}`);
    if (event.sequence_number !== index) throw new Error(`The event ${index} has the number ${event.sequence_number}`);
    return conforming(schemaOf(event.type), event);
  });
}

/** Without consecutive repetitions: the number of deltas is not part of the order. */
export const orderOf = (events: StreamedEvent[]) =>
  events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);

/** A client with its own token. */
export async function newClient(app: { url: string }, visitor: HttpClient, draft: Parameters<typeof newToken>[1] = {}) {
  const { id, token } = await newToken(visitor, draft);
  return { id, token, client: new OpenAI({ baseURL: `${app.url}/v1`, apiKey: token, maxRetries: 0 }) };
}

/** The usage recorded under a token, once none of its calls is running. */
export const recorded = (app: Parameters<typeof withDatabase>[0], tokenId: number) =>
  until('The end of the calls', () =>
    withDatabase(app, async (db) => {
      const open = await db.selectFrom('api_calls').select('id').where('access_token_id', '=', tokenId).execute();
      if (open.length > 0) return undefined;
      return db.selectFrom('usage_records').selectAll().where('access_token_id', '=', tokenId).orderBy('id').execute();
    }),
  );
