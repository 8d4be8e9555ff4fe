import { AppError } from '#server/lib/errors';
import { ProviderError } from '#server/provider/transport/error';

/** Rethrows a provider failure as the error for the client; other errors unchanged. */
export function throwProviderFailure(error: unknown): never {
  if (!(error instanceof ProviderError)) throw error;
  const { code, message } = error;
  const publicCode = code === 'key_rejected' || code === 'not_served' ? code : 'provider_failed';
  throw new AppError(publicCode, message, { cause: error });
}
