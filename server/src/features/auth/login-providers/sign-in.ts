import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import { completeSignIn, type SignInOutcome } from '#server/features/auth/shared/complete-sign-in';
import { createAccount } from '#server/features/auth/shared/create-account';
import { type UserRecord, userRepository } from '#server/features/auth/shared/repository';
import type { Visitor } from '#server/security/events-repository';
import type { Vault } from '#server/security/vault';
import { acceptInvitation, asFailure, emailOf, SupersededError } from './accept-invitation.ts';
import { type FollowedGroups, followGroups, isAdministratorAt, lockForRoles, refuseUnadmitted } from './admission.ts';
import { attachIdentity, storeEmail, type WithEmail } from './attach-identity.ts';
import { type LoginProviderSettings, openIdSettings, providerName } from './configured.ts';
import { type LoginIdentity, LoginProviderError } from './login-provider.ts';
import { noteProviderLogin } from './provider-sessions.ts';
import { RefusedForAccountError } from './refusals.ts';
import { connectedAccountRepository } from './repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  vault: Vault;
  config: Pick<Config, 'registration' | 'registrationDomains' | 'loopback' | 'publicUrl' | 'mail'> &
    LoginProviderSettings;
};

/** `remembered`: the token of a remembered device. `invitationHash`: the invitation that is accepted. */
export type Browser = { remembered: string | undefined; returnPath: string; invitationHash: string | null };
export type SignedIn = { userId: number; outcome: SignInOutcome } & FollowedGroups;

const noGroups: FollowedGroups = { sessions: [], keptLastAdministrator: false };

/** Signs in to the account of the identity: the connected one, the one with its address, or a new one. */
export async function signIn(
  trx: Kysely<Database>,
  dependencies: Dependencies,
  identity: LoginIdentity,
  visitor: Visitor,
  browser: Browser,
): Promise<SignedIn> {
  const { config } = dependencies;
  const accounts = connectedAccountRepository(trx);
  const settings = openIdSettings(config, identity.provider);
  await lockForRoles(trx, settings);
  const owner = await accounts.ownerOf(identity);
  if (settings) refuseUnadmitted(settings, identity, owner ? [owner.userId] : [], 'sign_in_failed');
  const { invitationHash, ...continuing } = browser;
  if (owner && invitationHash !== null)
    throw new LoginProviderError('linked_elsewhere', 'accepts an invitation but has an account');
  if (owner) {
    refuseInactive(owner);
    await storeEmail(accounts, owner.userId, identity);
  }
  const userId =
    owner?.userId ??
    (invitationHash === null
      ? await findOrCreateAccount(trx, config, identity, visitor)
      : await acceptInvitation(trx, config, invitationHash, identity, visitor));
  const followed = settings ? await followGroups(trx, settings, userId, identity) : noGroups;
  const method = providerName(config, identity.provider);
  const secondFactor = identity.secondFactor ? 'done' : 'needed-if-set';
  const outcome = await completeSignIn(trx, { userId, visitor, method, secondFactor, ...continuing });
  await noteProviderLogin(trx, dependencies, userId, identity, outcome);
  return { userId, ...followed, outcome };
}

/** Returns the account for an identity that is not connected yet. */
async function findOrCreateAccount(
  trx: Kysely<Database>,
  config: Dependencies['config'],
  identity: LoginIdentity,
  visitor: Visitor,
): Promise<number> {
  const email = emailOf(identity);
  const existing = await userRepository(trx).byEmail(email);
  if (!existing) return create(trx, config, { ...identity, email }, visitor);
  // It may have been registered by somebody who does not own the address.
  if (!existing.emailVerified)
    throw new RefusedForAccountError('account_exists', 'an account with an unconfirmed address has it', [
      { userId: existing.id, event: 'sign_in_failed', why: 'address not confirmed' },
    ]);
  refuseInactive({ userId: existing.id, status: existing.status });
  await attachIdentity(trx, config, existing.id, { ...identity, email }, visitor, 'sign_in_failed');
  return existing.id;
}

async function create(
  trx: Kysely<Database>,
  config: Dependencies['config'],
  identity: WithEmail,
  visitor: Visitor,
): Promise<number> {
  const { email, name, provider } = identity;
  const account = { email, name, passwordHash: null, emailVerified: true };
  const { registration, registrationDomains, loopback } = config;
  const mayBeFirst = loopback || isAdministratorAt(openIdSettings(config, provider), identity);
  const detail = providerName(config, provider);
  const conditions = { registration, registrationDomains, mayBeFirst, visitor, detail };
  const user = await createAccount(trx, account, conditions).catch(asFailure);
  if (!user || !(await connectedAccountRepository(trx).insert(user.id, identity, email))) throw new SupersededError();
  return user.id;
}

function refuseInactive({ userId, status }: { userId: number; status: UserRecord['status'] }) {
  if (status === 'Active') return;
  throw new RefusedForAccountError('inactive', 'the account is inactive', [
    { userId, event: 'sign_in_failed', why: 'inactive account' },
  ]);
}
