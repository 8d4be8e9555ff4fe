import { PublicApiError } from '#server/http/public-api/errors';
import type { AppError } from '#server/lib/errors';
import { ProviderError } from '#server/provider/transport/error';

const isOfRequest = (status: number | undefined): status is number =>
  status !== undefined && status >= 400 && status < 500;

/**
 * What a program is told of a failure of the provider. A rejected provider key is not 401: that would say that the access
 * token is wrong, which it is not.
 */
export function toApiError(error: ProviderError): AppError {
  const { code, message, status, providerCode, param, retryAfterSeconds, cause } = error;
  const details = { cause, param, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  switch (code) {
    case 'key_rejected':
      return new PublicApiError('provider_failed', message, { ...details, status: 403, code: 'provider_key_rejected' });
    case 'insufficient_quota':
      return new PublicApiError('provider_failed', message, { ...details, status: 429, type: code, code });
    case 'rate_limited':
      return new PublicApiError('provider_failed', message, {
        ...details,
        status: 429,
        type: 'requests',
        code: 'rate_limit_exceeded',
      });
    case 'provider_timeout':
      return new PublicApiError('provider_failed', message, { ...details, status: 504, code });
    default: {
      const told = isOfRequest(status) ? { status, code: providerCode ?? code } : { status: 502, code };
      return new PublicApiError('provider_failed', message, { ...details, ...told });
    }
  }
}

/** As a program is told; what is not the provider's stays as it is. */
export const publicFailure = (error: unknown) => (error instanceof ProviderError ? toApiError(error) : error);
