import { errorStatus } from '@roster/contracts/errors';
import { AppError } from '#server/lib/errors';

export const scimMediaType = 'application/scim+json';

/** Why a request was refused, in the words of RFC 7644, section 3.12. */
export type ScimErrorType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'uniqueness';

/** A refusal with its reason in the words of SCIM. */
export class ScimError extends AppError {
  override name = 'ScimError';
  readonly scimType: ScimErrorType;
  constructor(scimType: ScimErrorType, message: string) {
    super(scimType === 'uniqueness' ? 'conflict' : 'invalid_input', message);
    this.scimType = scimType;
  }
}

/** True for addresses under /scim. */
export const isScimRequest = (address: string) => /^\/scim([/?]|$)/.test(address);

/** The error of a call under /scim. */
export function scimError(error: AppError) {
  // 409 would tell a directory that the resource exists already.
  const status = error.code === 'last_administrator' ? 403 : errorStatus[error.code];
  return {
    status,
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      ...(error instanceof ScimError && { scimType: error.scimType }),
      detail: error.message,
    },
  };
}
