import { type ErrorCode, errorStatus } from '@roster/contracts/errors';
import type { ApiErrorBody } from '@roster/contracts/public-api/endpoint';
import type { z } from 'zod';
import { invalidInput } from '#server/http/app-router/input';
import { AppError } from '#server/lib/errors';

type ProviderErrorFields = { status?: number | undefined; type?: string | undefined; code?: string | undefined };

/** Our errors in the provider's API. Codes not listed here are derived from their status. */
const errorFields: Partial<Record<ErrorCode, ProviderErrorFields>> = {
  not_signed_in: { code: 'invalid_api_key' },
  not_allowed: { code: 'insufficient_permissions' },
  rate_limited: { type: 'requests', code: 'rate_limit_exceeded' },
  budget_exceeded: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  offered_budget_exceeded: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  model_ended: { status: 404, code: 'model_not_found' },
  // The provider's clients would retry a 409.
  quota_exceeded: { status: 400, code: 'storage_quota_exceeded' },
  too_large: { code: 'request_too_large' },
  no_api_key: { status: 400, code: 'no_provider_key' },
  key_unreadable: { status: 400, code: 'no_provider_key' },
};

/** A failure with its own code in the provider's API. */
export class PublicApiError extends AppError {
  override name = 'PublicApiError';
  readonly details: ProviderErrorFields & { param?: string | undefined };
  constructor(
    code: ErrorCode,
    message: string,
    {
      status,
      type,
      code: name,
      param,
      ...details
    }: PublicApiError['details'] & ConstructorParameters<typeof AppError>[2],
  ) {
    super(code, message, details);
    this.details = { status, type, code: name, param };
  }
}

/** Reports invalid input, in the provider's words for an unknown field. */
export function invalidApiInput(issues: z.core.$ZodIssue[]): AppError {
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys');
  if (!unknown) return invalidInput(issues);
  const param = [...unknown.path, unknown.keys[0]].join('.');
  return new PublicApiError('invalid_input', `Unknown parameter: '${param}'.`, { param, code: 'unknown_parameter' });
}

/** The object does not exist or belongs to another user. In the provider's words, which clients may match. */
export const resourceNotFound = (what: string, id: string) =>
  new PublicApiError('not_found', `No ${what} found with id '${id.slice(0, 100)}'.`, {});

/** True for addresses under /v1. */
export const isPublicApiRequest = (address: string) => /^\/v1([/?]|$)/.test(address);

const typeOf = (status: number) => (status >= 500 ? 'server_error' : 'invalid_request_error');

/** The error of a call under /v1 in the provider's shape. */
export function apiError(error: AppError): { status: number; body: ApiErrorBody } {
  const own = error instanceof PublicApiError ? error.details : {};
  const entry = errorFields[error.code];
  const status = own.status ?? entry?.status ?? errorStatus[error.code];
  const [field] = Object.keys(error.fields ?? {});
  const type = own.type ?? entry?.type ?? typeOf(status);
  const param = own.param ?? field ?? null;
  return { status, body: { error: { message: error.message, type, param, code: own.code ?? entry?.code ?? null } } };
}
