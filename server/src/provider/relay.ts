import type { Secret } from '#server/security/secret';
import type { ArrivingBody } from './arriving-body.ts';
import type { ProviderHttp } from './http.ts';
import { noAnswerAtAll } from './no-responses.ts';
import { drawingMs, type ProviderTimes } from './times.ts';

export type RelayCall = {
  /** Below the base URL; that of Chat Completions where none is named. */
  path?: '/chat/completions' | '/responses';
  apiKey: Secret;
  /** The JSON of the request, as it goes out. */
  text: string;
  streams: boolean;
  /** A picture may be drawn, during which nothing comes. */
  draws?: boolean;
  signal: AbortSignal;
};
/** `apiKey`: what it was asked with, which its words must not give away. */
export type Relayed = { contentType: string; body: ArrivingBody; apiKey: Secret };

const events = 'text/event-stream';

/** Some servers name another type for a stream, or none: its first bytes tell it from JSON. */
async function typeOfStream(named: string, body: ArrivingBody): Promise<string> {
  if (named.includes(events) || !(await body.begins())) return named;
  return /^\uFEFF?\s*(data|event|id|retry)?:/.test(body.held().toString()) ? events : named;
}

/** Every path leads to Chat Completions there. */
const isOfChat = (begun: Buffer) => /"object":\s*"chat\.completion/.test(begun.toString('latin1'));

/**
 * Passes a request on as it is. Not tried again: who made it does that, and knows whether it may be.
 * @throws ProviderError for anything but a success
 */
export const relaying =
  (http: ProviderHttp, { wholeMs }: Pick<ProviderTimes, 'wholeMs'>) =>
  async ({ path = '/chat/completions', streams, draws = false, ...call }: RelayCall): Promise<Relayed> => {
    let hasBegun = false;
    const { headers, body } = await http.send({
      method: 'POST',
      path,
      retries: 0,
      ...call,
      ...(draws && { silentMs: drawingMs }),
      ...(streams ? { awaitsWord: () => !hasBegun } : { firstByteMs: wholeMs }),
    });
    void body.begins().then(() => {
      hasBegun = true;
    });
    const named = String(headers['content-type'] ?? '');
    if (path === '/responses' && (/text\/html/i.test(named) || !(await body.begins()) || isOfChat(body.held()))) {
      body.destroy();
      throw noAnswerAtAll();
    }
    const contentType = streams ? await typeOfStream(named, body) : named;
    return { contentType, body, apiKey: call.apiKey };
  };
