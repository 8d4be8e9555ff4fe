import { AppError } from '#server/lib/errors';
import { ProviderError } from '#server/provider/transport/error';

/** Rethrows a failed call to the provider as what its caller is told; anything else as it is. */
export function throwProviderFailure(error: unknown): never {
  if (!(error instanceof ProviderError)) throw error;
  const { code, message } = error;
  const told = code === 'key_rejected' || code === 'not_served' ? code : 'provider_failed';
  throw new AppError(told, message, { cause: error });
}
