import type { RelayedResponse } from '#server/provider/relay';
import { ProviderError } from '#server/provider/transport/error';
import { toNetworkError } from '#server/provider/transport/http';

const wholeLimit = 20 * 1024 * 1024;

export const tooLarge = () => new ProviderError('provider_unavailable', 'The provider’s answer is too large.');
/** Converts a connection that ended too early into one failure. */
export function toConnectionError(cause: unknown): ProviderError {
  if (cause instanceof ProviderError) return cause;
  const failure = toNetworkError(cause);
  if (failure.code === 'provider_timeout') return failure;
  return new ProviderError('provider_broke_off', 'The connection to the provider was lost.', { cause });
}

/** Reads a complete answer. @throws ProviderError, or the signal's reason */
export async function readResponseBody({ body }: RelayedResponse, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > wholeLimit) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : toConnectionError(error);
  }
  return Buffer.concat(chunks);
}
