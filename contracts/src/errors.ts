import { z } from 'zod';

/** All expected failures with their HTTP status, shared by server and browser. */
export const errorStatus = {
  invalid_input: 400,
  invalid_token: 400,
  not_signed_in: 401,
  invalid_credentials: 401,
  /** The password was right; the second step follows. `ways`: those that the account has. */
  second_factor_required: 401,
  not_allowed: 403,
  sign_in_again: 403,
  /** The session’s sign-in, or its last confirmation, is more than ten minutes old. */
  fresh_sign_in_required: 403,
  /** An administrator requires a second factor, and this account has none. */
  second_factor_setup_required: 403,
  cross_site: 403,
  setup_code_required: 403,
  registration_closed: 403,
  /** Only login providers open accounts here. */
  login_provider_required: 403,
  /** Only who was invited can register. */
  registration_invited: 403,
  /** Addresses of this domain cannot register by themselves. */
  domain_not_registrable: 403,
  not_found: 404,
  conflict: 409,
  email_taken: 409,
  last_sign_in_method: 409,
  last_administrator: 409,
  no_mail_server: 409,
  no_api_key: 409,
  key_unreadable: 409,
  budget_exceeded: 409,
  /** The budget of a connection that an administrator offers. Nobody can go over it. */
  offered_budget_exceeded: 409,
  /** The model has been shut down; the user has to choose another. */
  model_ended: 409,
  run_in_progress: 409,
  /** The same clientId with a different request. */
  client_id_used: 409,
  too_many_runs: 409,
  quota_exceeded: 409,
  too_large: 413,
  unsupported_media_type: 415,
  key_rejected: 422,
  rate_limited: 429,
  internal: 500,
  provider_failed: 502,
  not_served: 502,
  unavailable: 503,
  database_unavailable: 503,
  storage_unavailable: 503,
  no_space: 507,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/**
 * The body of every failed call. `message`: what the user can do. `fields`: messages by invalid field. `ways`: how the
 * user can prove their identity.
 */
export const ErrorBody = z.object({
  code: z.string(),
  message: z.string(),
  fields: z.record(z.string(), z.string()).optional(),
  ways: z.array(z.string()).optional(),
  requestId: z.string(),
});
export type ErrorBody = z.output<typeof ErrorBody>;

/** Reasons why a run failed, as stored with the message and sent in its `failed` event. */
export const runFailures = [
  'key_rejected',
  'key_unreadable',
  'no_api_key',
  'missing_scope',
  'insufficient_quota',
  'rate_limited',
  'model_not_found',
  'context_too_long',
  'unsupported_parameter',
  'content_filter',
  'region',
  'bad_request',
  'provider_unavailable',
  'provider_broke_off',
  'provider_unreachable',
  'provider_timeout',
  'budget_exceeded',
  'offered_budget_exceeded',
  'interrupted',
  'internal',
] as const;
export type RunFailure = (typeof runFailures)[number];

export const RunError = z.object({
  code: z.enum(runFailures),
  message: z.string(),
  /** Seconds that the provider asked to wait, if it did. */
  retryAfterSeconds: z.number().optional(),
  /** The successor of a retired model, if known. */
  successor: z.string().optional(),
});
export type RunError = z.output<typeof RunError>;
