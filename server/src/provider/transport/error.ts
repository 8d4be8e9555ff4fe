import type { RunError } from '@roster/contracts/errors';

/** Not a lack of credit: only a person can end it, and the provider asks not to retry. */
const passing = new Set<ProviderError['code']>([
  'rate_limited',
  'provider_unavailable',
  'provider_unreachable',
  'provider_timeout',
  'provider_broke_off',
]);

/** A failure of a call to the provider, in our own closed list of codes; the message may quote the provider's words. */
export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly code: RunError['code'] | 'not_served' | 'store_gone' | 'training_not_available';
  /** The HTTP status the provider answered, where it answered. */
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The provider's own words alone, masked. */
  readonly said: string | undefined;
  /** The request parameter that the provider names. */
  readonly param: string | undefined;
  /** The provider's own code of the failure, where it has one. */
  readonly providerCode: string | undefined;
  /** The provider's id of the request, for its support. */
  readonly requestId: string | undefined;
  constructor(
    code: ProviderError['code'],
    message: string,
    details: ErrorOptions & {
      status?: number | undefined;
      retryAfterSeconds?: number | undefined;
      said?: string | undefined;
      param?: string | undefined;
      providerCode?: string | undefined;
      requestId?: string | undefined;
    } = {},
  ) {
    super(message, details);
    this.code = code;
    this.status = details.status;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.said = details.said;
    this.param = details.param;
    this.providerCode = details.providerCode;
    this.requestId = details.requestId;
  }

  /** A retry may succeed. */
  get isTransient(): boolean {
    return passing.has(this.code);
  }

  /** It is unknown whether the provider did it; with any other failure, it did not. */
  get isUncertain(): boolean {
    return this.status === undefined || this.status >= 500 || this.status === 408;
  }

  /** A file that the request names is not at the provider; which one, not every provider says. */
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
