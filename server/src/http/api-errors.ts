import type { ErrorCode } from '@roster/contracts/errors';
import { errorStatus } from '@roster/contracts/errors';
import type { ApiErrorBody } from '@roster/contracts/openai-api/endpoint';
import type { AppError } from '#server/errors';

type Told = { status?: number; type?: string; code: string | null };

/** What our refusals are called in the provider's API. What is not named here follows from its status. */
const told: Partial<Record<ErrorCode, Told>> = {
  not_signed_in: { code: 'invalid_api_key' },
  not_allowed: { code: 'insufficient_permissions' },
  rate_limited: { type: 'requests', code: 'rate_limit_exceeded' },
  budget_exceeded: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  too_large: { code: 'request_too_large' },
  no_api_key: { status: 400, code: 'no_provider_key' },
  key_unreadable: { status: 400, code: 'no_provider_key' },
};

const typeOf = (status: number) => (status >= 500 ? 'server_error' : 'invalid_request_error');

/** A failed call under /v1 in the shape of the provider's. */
export function apiError(error: AppError): { status: number; body: ApiErrorBody } {
  const entry = told[error.code];
  const status = entry?.status ?? errorStatus[error.code];
  const [param = null] = Object.keys(error.fields ?? {});
  const code = error.apiCode ?? entry?.code ?? null;
  return { status, body: { error: { message: error.message, type: entry?.type ?? typeOf(status), param, code } } };
}
