import type { Secret } from '#server/security/secret';
import { noAnswerAtAll } from './responses/availability.ts';
import type { ProviderHttp } from './transport/http.ts';
import type { StreamingBody } from './transport/streaming-body.ts';
import { drawingMs, type ProviderTimeouts } from './transport/timeouts.ts';

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
export type RelayedResponse = { contentType: string; body: StreamingBody; apiKey: Secret };

const events = 'text/event-stream';

/** Some servers name another type for a stream, or none: its first bytes tell it from JSON. */
async function typeOfStream(named: string, body: StreamingBody): Promise<string> {
  if (named.includes(events) || !(await body.begins())) return named;
  return /^\uFEFF?\s*(data|event|id|retry)?:/.test(body.held().toString()) ? events : named;
}

/** Every path leads to Chat Completions there. */
const isOfChat = (begun: Buffer) => /"object":\s*"chat\.completion/.test(begun.toString('latin1'));

/**
 * Passes a request on as it is. Not tried again: who made it does that, and knows whether it may be.
 * @throws ProviderError for anything but a success
 */
export const createRelay =
  (http: ProviderHttp, { wholeMs }: Pick<ProviderTimeouts, 'wholeMs'>) =>
  async ({ path = '/chat/completions', streams, draws = false, ...call }: RelayCall): Promise<RelayedResponse> => {
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
