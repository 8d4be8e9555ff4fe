import { PublicApiError } from '#server/http/public-api/errors';
import type { AppError } from '#server/lib/errors';
import { ProviderError } from '#server/provider/transport/error';

const isOfRequest = (status: number | undefined): status is number =>
  status !== undefined && status >= 400 && status < 500;

/**
 * API error for a provider failure. A rejected provider key is not a 401, which would mean that the access token is
 * wrong.
 */
function toApiError(error: ProviderError): AppError {
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
      const publicError = isOfRequest(status) ? { status, code: providerCode ?? code } : { status: 502, code };
      return new PublicApiError('provider_failed', message, { ...details, ...publicError });
    }
  }
}

/** Converts provider failures for clients; other errors pass unchanged. */
export const publicFailure = (error: unknown) => (error instanceof ProviderError ? toApiError(error) : error);
