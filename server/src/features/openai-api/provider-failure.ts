import type { AppError } from '#server/errors';
import { ApiRefusal } from '#server/http/api-errors';
import { ProviderError } from '#server/provider/error';

const isOfRequest = (status: number | undefined): status is number =>
  status !== undefined && status >= 400 && status < 500;

/**
 * What a program is told of a failure of the provider. A rejected provider key is not 401: that would say that the access
 * token is wrong, which it is not.
 */
export function providerRefusal(error: ProviderError): AppError {
  const { code, message, status, providerCode, param, retryAfterSeconds, cause } = error;
  const details = { cause, param, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  switch (code) {
    case 'key_rejected':
      return new ApiRefusal('provider_failed', message, { ...details, status: 403, code: 'provider_key_rejected' });
    case 'insufficient_quota':
      return new ApiRefusal('provider_failed', message, { ...details, status: 429, type: code, code });
    case 'rate_limited':
      return new ApiRefusal('provider_failed', message, {
        ...details,
        status: 429,
        type: 'requests',
        code: 'rate_limit_exceeded',
      });
    case 'provider_timeout':
      return new ApiRefusal('provider_failed', message, { ...details, status: 504, code });
    default: {
      const told = isOfRequest(status) ? { status, code: providerCode ?? code } : { status: 502, code };
      return new ApiRefusal('provider_failed', message, { ...details, ...told });
    }
  }
}

/** As a program is told; what is not the provider's stays as it is. */
export const toldToProgram = (error: unknown) => (error instanceof ProviderError ? providerRefusal(error) : error);
