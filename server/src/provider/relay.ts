import type { Secret } from '#server/security/secret';
import { noAnswerAtAll } from './responses/availability.ts';
import type { ProviderHttp } from './transport/http.ts';
import type { multipartForm } from './transport/multipart-form.ts';
import type { StreamingBody } from './transport/streaming-body.ts';
import { imageMs, type ProviderTimeouts } from './transport/timeouts.ts';

export type RelayPath =
  | '/chat/completions'
  | '/responses'
  | '/embeddings'
  | '/completions'
  | '/moderations'
  | '/images/generations'
  | '/audio/speech'
  | '/audio/transcriptions';

/** The JSON of the request, as it is sent, or a form with a file. */
type RelayContent = { text: string; form?: undefined } | { text?: undefined; form: ReturnType<typeof multipartForm> };

export type RelayCall = RelayContent & {
  /** Relative to the base URL; default: Chat Completions. */
  path?: RelayPath;
  apiKey: Secret;
  /** The answer is a sound. */
  isBinary?: boolean;
  streams: boolean;
  /** An image may be generated, during which nothing arrives. */
  draws?: boolean;
  signal: AbortSignal;
};
/** `apiKey`: the key of the request, to be masked in the response. */
export type RelayedResponse = { contentType: string; body: StreamingBody; apiKey: Secret };

const events = 'text/event-stream';

/** Some servers send a stream with another content type or none: the first bytes tell it from JSON. */
async function typeOfStream(named: string, body: StreamingBody): Promise<string> {
  if (named.includes(events) || !(await body.begins())) return named;
  return /^\uFEFF?\s*(data|event|id|retry)?:/.test(body.held().toString()) ? events : named;
}

/** For servers that route every path to Chat Completions. */
const isOfChat = (started: Buffer) => /"object":\s*"chat\.completion/.test(started.toString('latin1'));

/**
 * Forwards a request unchanged. Never retried: the client knows whether that is allowed.
 * @throws ProviderError unless the response is a success
 */
export const createRelay =
  (http: ProviderHttp, { wholeMs }: Pick<ProviderTimeouts, 'wholeMs'>) =>
  async ({
    path = '/chat/completions',
    streams,
    draws = false,
    isBinary = false,
    ...call
  }: RelayCall): Promise<RelayedResponse> => {
    let hasStarted = false;
    const { headers, body } = await http.sendRequest({
      method: 'POST',
      path,
      retries: 0,
      ...call,
      ...(draws && { silentMs: imageMs }),
      ...(isBinary && { headers: { accept: '*/*' } }),
      ...(streams ? { awaitsWord: () => !hasStarted } : { firstByteMs: wholeMs }),
    });
    void body.begins().then(() => {
      hasStarted = true;
    });
    const named = String(headers['content-type'] ?? '');
    if (path === '/responses' && (/text\/html/i.test(named) || !(await body.begins()) || isOfChat(body.held()))) {
      body.destroy();
      throw noAnswerAtAll();
    }
    const contentType = streams ? await typeOfStream(named, body) : named;
    return { contentType, body, apiKey: call.apiKey };
  };
