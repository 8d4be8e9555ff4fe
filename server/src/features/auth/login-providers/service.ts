import type { ConnectedAccounts, LoginProvider } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import type { PasswordLogin } from '#server/features/auth/shared/password-login';
import type { SessionService } from '#server/http/sessions/sessions';
import type { Visitor } from '#server/security/events-repository';
import type { Vault } from '#server/security/vault';
import { SupersededError } from './accept-invitation.ts';
import { endAccess, NotAdmittedError } from './admission.ts';
import { type Configured, providerName } from './configured.ts';
import { connect, disconnect, isCurrent, type Session } from './connecting.ts';
import { configuredIssuer } from './issuers.ts';
import type { LoginIdentity } from './login-provider.ts';
import { RefusedForAccountError, recordRefusal } from './refusals.ts';
import { connectedAccountRepository } from './repository.ts';
import { type Browser, type SignedIn, signIn } from './sign-in.ts';

type Dependencies = {
  lockSession: SessionService['lock'];
  db: Kysely<Database>;
  vault: Vault;
  config: Pick<Config, 'registration' | 'registrationDomains' | 'loopback' | 'publicUrl' | 'mail'> &
    Configured &
    PasswordLogin;
  /** Closes the open responses of ended sessions. */
  onSessionsEnded: (sessionIds: string[]) => void;
};

const attempts = 5;

/** Signs in with Google or GitHub, and connects and disconnects their accounts. */
export function loginProviderService(dependencies: Dependencies) {
  const { db, config, onSessionsEnded } = dependencies;
  return {
    /** Signs in to the account of the identity: the connected one, the one with its address, or a new one. */
    async signIn(identity: LoginIdentity, visitor: Visitor, browser: Browser): Promise<SignedIn> {
      const signedIn = await transactForIdentity(dependencies, identity, visitor, (trx) =>
        signIn(trx, dependencies, identity, visitor, browser),
      ).catch(async (error: unknown) => {
        if (error instanceof NotAdmittedError) onSessionsEnded(await endAccessOf(db, error, visitor));
        throw error;
      });
      onSessionsEnded(signedIn.sessions);
      return signedIn;
    },

    async connect(session: Session, identity: LoginIdentity, visitor: Visitor) {
      const { ended, isConfirmed } = await transactForIdentity(dependencies, identity, visitor, (trx) =>
        connect(trx, dependencies, session, identity, visitor),
      );
      onSessionsEnded(ended);
      return { isConfirmed };
    },

    async isConnected(userId: number, provider: LoginProvider): Promise<boolean> {
      const accounts = await connectedAccountRepository(db).listOf(userId);
      return accounts.some((identity) => identity.provider === provider && isCurrent(config, identity));
    },

    async of(userId: number): Promise<ConnectedAccounts> {
      const accounts = (await connectedAccountRepository(db).listOf(userId)).filter((identity) =>
        isCurrent(config, identity),
      );
      const profile = (provider: LoginProvider) => {
        const identity = accounts.find((candidate) => candidate.provider === provider);
        return { connected: identity !== undefined, email: identity?.email ?? null };
      };
      const openId = config.openId.map(({ id, name }) => ({ id, name, ...profile(id) }));
      return { google: profile('google'), github: profile('github'), ...(openId.length > 0 && { openId }) };
    },

    /** True if one of the providers that are configured now opens the account. */
    hasUsable: async (trx: Kysely<Database>, userId: number): Promise<boolean> =>
      (await connectedAccountRepository(trx).listOf(userId)).some(
        ({ provider, issuer }) => configuredIssuer(config, provider) === issuer,
      ),

    disconnect: (userId: number, provider: LoginProvider, visitor: Visitor): Promise<void> =>
      transactWithRetry(db, (trx) => disconnect(trx, config, userId, provider, visitor)),
  };
}

export type LoginProviderService = ReturnType<typeof loginProviderService>;

/** Runs in one transaction and retries if a concurrent one was faster. */
async function transactWithRetry<T>(db: Kysely<Database>, work: (trx: Kysely<Database>) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (!(error instanceof SupersededError) || attempt === attempts) throw error;
    }
  }
}

/** Does the same for an identity, and records a refusal. */
const transactForIdentity = <T>(
  { db, config }: Dependencies,
  identity: LoginIdentity,
  visitor: Visitor,
  work: (trx: Kysely<Database>) => Promise<T>,
): Promise<T> =>
  transactWithRetry(db, work).catch(async (error: unknown) => {
    if (error instanceof RefusedForAccountError)
      await recordRefusal(db, error, providerName(config, identity.provider), visitor);
    throw error;
  });

/** Called after the refusal, which rolls its transaction back. Returns the ids of the ended sessions. */
async function endAccessOf(db: Kysely<Database>, { concerned }: NotAdmittedError, visitor: Visitor) {
  const ended = concerned.map(({ userId }) => db.transaction().execute((trx) => endAccess(trx, userId, visitor)));
  return (await Promise.all(ended)).flat();
}
