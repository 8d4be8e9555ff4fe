import type { LoginProvider } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { enqueue } from '#server/jobs/queue';
import { mailJob, openIdMailJob } from '#server/mail/job';
import { type RecordedEvent, securityEventRepository, type Visitor } from '#server/security/events-repository';
import { SupersededError } from './accept-invitation.ts';
import { type LoginProviderSettings, providerName } from './configured.ts';
import type { LoginIdentity } from './login-provider.ts';
import { RefusedForAccountError } from './refusals.ts';
import { type ConnectedAccountRepository, connectedAccountRepository } from './repository.ts';

export type WithEmail = LoginIdentity & { email: string };

/** Stores the address shown for a connected account. Unverified addresses are not stored. */
export async function storeEmail(accounts: ConnectedAccountRepository, userId: number, identity: LoginIdentity) {
  if (typeof identity.email === 'string') await accounts.setEmail(userId, identity, identity.email);
}

/** Relies on unique constraints: an identity has one account, and an account one identity per provider. */
export async function attachIdentity(
  trx: Kysely<Database>,
  config: LoginProviderSettings,
  userId: number,
  identity: WithEmail,
  visitor: Visitor,
  refusal: 'sign_in_failed' | 'login_method_refused',
) {
  const accounts = connectedAccountRepository(trx);
  const { provider, issuer, subject, email } = identity;
  const connected = (await accounts.listOf(userId)).find(
    (other) => other.provider === provider && other.issuer === issuer,
  );
  if (connected?.subject === subject) throw new SupersededError();
  if (connected)
    throw new RefusedForAccountError('already_connected', 'the account is connected to another one', [
      { userId, event: refusal, why: 'another one is connected' },
    ]);
  if (!(await accounts.insert(userId, identity, email))) throw new SupersededError();
  await securityEventRepository(trx).record(
    event('login_method_connected', userId, providerName(config, provider), visitor),
  );
  await notify(trx, 'login_method_connected', userId, provider, providerName(config, provider));
}

type Kind = 'login_method_connected' | 'login_method_disconnected';
/** The record of a connection that was made or removed. */
export const event = (kind: Kind, userId: number, detail: string, visitor: Visitor): RecordedEvent => ({
  userId,
  event: kind,
  by: 'self',
  visitor,
  detail,
});

/** Queues the mail about it. */
export function notify(trx: Kysely<Database>, template: Kind, userId: number, provider: LoginProvider, name: string) {
  if (provider === 'google' || provider === 'github') return enqueue(trx, mailJob, { template, userId, provider });
  return enqueue(trx, openIdMailJob, { template, userId, provider, name });
}
