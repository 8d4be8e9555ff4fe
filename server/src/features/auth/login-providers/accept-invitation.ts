import type { LoginProviderFailure } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import type { Registration } from '#server/features/auth/shared/create-account';
import { findInvitation, redeemInvitation } from '#server/features/auth/shared/redeem-invitation';
import { AppError } from '#server/lib/errors';
import type { Visitor } from '#server/security/events-repository';
import { type LoginProviderSettings, providerName } from './configured.ts';
import { type LoginIdentity, LoginProviderError } from './login-provider.ts';
import { connectedAccountRepository } from './repository.ts';

/** A concurrent request has decided about the same identity or account: retry. */
export class SupersededError extends Error {
  override name = 'SupersededError';
}

/** @throws the reason why the provider’s address cannot be used to find or create an account */
export function emailOf({ email }: LoginIdentity): string {
  if (email instanceof LoginProviderError) throw email;
  return email;
}

/** Why no account was created, as the page says it where the sign-in ends. */
const failures = new Map<string, LoginProviderFailure>([
  ['registration_closed', 'registration_closed'],
  ['registration_invited', 'registration_invited'],
  ['domain_not_registrable', 'domain_not_registrable'],
  ['setup_code_required', 'setup_code_required'],
  ['invalid_token', 'invitation_invalid'],
  ['conflict', 'invitation_invalid'],
  ['email_taken', 'account_exists'],
]);

export function asFailure(error: unknown): never {
  const failure = error instanceof AppError ? failures.get(error.code) : undefined;
  if (error instanceof AppError && failure) throw new LoginProviderError(failure, error.message);
  throw error;
}

/** Creates the account of an invitation for an identity with the invited address, and returns its id. */
export async function acceptInvitation(
  trx: Kysely<Database>,
  config: Registration & Pick<Config, 'mail'> & LoginProviderSettings,
  hash: string,
  identity: LoginIdentity,
  visitor: Visitor,
): Promise<number> {
  const email = emailOf(identity);
  const invitation = await findInvitation(trx, config, hash).catch(asFailure);
  if (email !== invitation.email)
    throw new LoginProviderError('invitation_other_address', 'the address is not the invited one');
  const detail = `Invitation, ${providerName(config, identity.provider)}`;
  const account = { name: identity.name, passwordHash: null, isAddressProven: true, visitor, detail };
  const user = await redeemInvitation(trx, config, hash, account).catch(asFailure);
  if (!(await connectedAccountRepository(trx).insert(user.id, identity, email))) throw new SupersededError();
  return user.id;
}

/** For a call of the page, which shows the message where it is. */
export function providerUnavailable(error: unknown): never {
  if (!(error instanceof LoginProviderError)) throw error;
  const { code, cause } = error;
  throw code === 'not_configured'
    ? new AppError('conflict', 'This sign-in is not set up here. Choose another one.', { cause })
    : new AppError('provider_failed', 'The login provider is not responding. Try again in a moment.', { cause });
}
