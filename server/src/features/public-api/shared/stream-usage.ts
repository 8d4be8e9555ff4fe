import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { SerializedRequest } from './retry-without-unsupported.ts';

type StreamingRequest = {
  model: string;
  stream?: boolean | null | undefined;
  stream_options?: { include_usage?: boolean | null | undefined } | null | undefined;
};

/** The cost is reported at the end of a stream only on request. */
export const asksForUsage = { include_usage: true };

export const lacksUsage = ({ stream, stream_options: options }: StreamingRequest) =>
  stream === true && options?.include_usage !== true;

export const withUsage = <Body extends StreamingRequest>(body: Body) => ({
  ...body,
  stream_options: { ...body.stream_options, ...asksForUsage },
});

/**
 * Serializes a request that is sent unchanged, except that a stream gets a leading field to report its usage.
 * `original`: the text as the client sent it; undefined: its model is named by a connection, which the provider does
 * not know. `hidesUsage`: usage that only Roster asked for is removed from the answer.
 */
export function unchangedRequest(body: StreamingRequest, original: string | undefined) {
  const sent = { ...body, model: modelIdOf(body.model) };
  const text = original ?? JSON.stringify(sent);
  return (refused: ReadonlySet<string>): SerializedRequest<'stream_options'> & { hidesUsage: boolean } => {
    if (!lacksUsage(body) || refused.has('stream_options')) return { text, added: new Map(), hidesUsage: false };
    const isNamed = Object.hasOwn(body, 'stream_options');
    const asking = isNamed
      ? JSON.stringify(withUsage(sent))
      : `{"stream_options":${JSON.stringify(asksForUsage)},${text.slice(text.indexOf('{') + 1)}`;
    return { text: asking, added: new Map([['stream_options' as const, asksForUsage]]), hidesUsage: true };
  };
}
