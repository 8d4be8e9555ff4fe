import type { RunError } from '@roster/contracts/errors';

/** Without `insufficient_quota`: only a person can fix that, and the provider asks not to retry. */
const transientCodes = new Set<ProviderError['code']>([
  'rate_limited',
  'provider_unavailable',
  'provider_unreachable',
  'provider_timeout',
  'provider_broke_off',
]);

/** A failed call to the provider, with a code from our closed list; the message may quote the provider's words. */
export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly code: RunError['code'] | 'not_served' | 'store_gone' | 'training_not_available';
  /** The HTTP status, if the provider responded. */
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The provider's own words alone, masked. */
  readonly providerMessage: string | undefined;
  /** The request parameter that the provider names. */
  readonly param: string | undefined;
  /** The provider's own error code. */
  readonly providerCode: string | undefined;
  /** The provider's request id, for its support. */
  readonly requestId: string | undefined;
  constructor(
    code: ProviderError['code'],
    message: string,
    details: ErrorOptions & {
      status?: number | undefined;
      retryAfterSeconds?: number | undefined;
      providerMessage?: string | undefined;
      param?: string | undefined;
      providerCode?: string | undefined;
      requestId?: string | undefined;
    } = {},
  ) {
    super(message, details);
    this.code = code;
    this.status = details.status;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.providerMessage = details.providerMessage;
    this.param = details.param;
    this.providerCode = details.providerCode;
    this.requestId = details.requestId;
  }

  /** A retry may succeed. */
  get isTransient(): boolean {
    return transientCodes.has(this.code);
  }

  /** The provider may have executed the request; with any other failure it has not. */
  get isUncertain(): boolean {
    return this.status === undefined || this.status >= 500 || this.status === 408;
  }

  /** A file in the request no longer exists at the provider; not every provider says which one. */
  get isFileGone(): boolean {
    if (this.code === 'store_gone' || this.code === 'model_not_found') return false;
    const ofRequest = this.status === undefined || this.status === 400 || this.status === 404;
    return ofRequest && /no such file|\bfiles?\b.*\b(not found|not exist|deleted|expired)\b/i.test(this.message);
  }

  /** The provider has no such object. */
  get isNotFound(): boolean {
    return this.status === 404;
  }
}
