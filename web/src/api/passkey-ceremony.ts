import type { Assertion, CreationOptions, NewCredential, RequestOptions } from '@roster/contracts/passkeys';
import { startAuthentication, startRegistration, WebAuthnAbortService, WebAuthnError } from '@simplewebauthn/browser';

/** The user closed the browser’s dialog, or another one took its place. */
export class PasskeyCancelledError extends Error {
  override name = 'PasskeyCancelledError';
}

const texts: Partial<Record<WebAuthnError['code'], string>> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'This device already has a passkey for your account.',
  ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT: 'This security key cannot keep passkeys. Use another.',
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT:
    'This device has no PIN, fingerprint or face to confirm with. Set one up, or use another device.',
};

/** Errors in words for the user. */
function explain(error: unknown): never {
  const known = error instanceof WebAuthnError ? texts[error.code] : undefined;
  if (known !== undefined) throw new Error(known, { cause: error });
  const isCancelled = error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name);
  if (isCancelled) throw new PasskeyCancelledError('Cancelled', { cause: error });
  throw new Error('The browser could not use a passkey. Try again, or use another way.', { cause: error });
}

/** Has the browser make a passkey. @throws PasskeyCancelledError, or an error to show */
export const makePasskey = (options: CreationOptions): Promise<NewCredential> =>
  startRegistration({ optionsJSON: options }).catch(explain);

/** Has the user choose a passkey. `fromField`: among the suggestions of the email field. */
export const choosePasskey = (options: RequestOptions, fromField = false): Promise<Assertion> =>
  startAuthentication({ optionsJSON: options, useBrowserAutofill: fromField }).catch(explain);

/** Ends the suggestions of the email field. */
export const stopPasskeys = () => WebAuthnAbortService.cancelCeremony();
