import type { ConnectedAccounts, LoginProvider } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import { type PasswordLogin, usablePasswordHash } from '#server/features/auth/shared/password-login';
import { type UserRecord, userRepository } from '#server/features/auth/shared/repository';
import { revokeOtherAccess } from '#server/features/auth/shared/revoke-access';
import { secondFactorRepository } from '#server/features/auth/shared/second-factor-repository';
import { sessionRepository } from '#server/http/sessions/session-repository';
import { isFresh, type SessionService } from '#server/http/sessions/sessions';
import { AppError } from '#server/lib/errors';
import type { SignedInUser } from '#server/security/actor';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import type { Vault } from '#server/security/vault';
import { emailOf, SupersededError } from './accept-invitation.ts';
import { endAccess, NotAdmittedError, refuseUnadmitted } from './admission.ts';
import { attachIdentity, event, notify, storeEmail } from './attach-identity.ts';
import { type LoginProviderSettings, openIdSettings, providerName } from './configured.ts';
import { configuredIssuer } from './issuers.ts';
import { type LoginIdentity, LoginProviderError } from './login-provider.ts';
import { RefusedForAccountError, recordRefusal } from './refusals.ts';
import { connectedAccountRepository } from './repository.ts';
import { type Browser, type SignedIn, signIn } from './sign-in.ts';

type Dependencies = {
  lockSession: SessionService['lock'];
  db: Kysely<Database>;
  vault: Vault;
  config: Pick<Config, 'registration' | 'registrationDomains' | 'loopback' | 'publicUrl' | 'mail'> &
    LoginProviderSettings &
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

type Session = Pick<SignedInUser, 'userId' | 'sessionId' | 'provenAt'>;
/** `isConfirmed`: nothing was connected, but the identity of the user was confirmed. */
type ConnectResult = { ended: string[]; isConfirmed: boolean };

/** False for identities of an issuer that was configured earlier: nobody signs in with them now. */
const isCurrent = (
  config: LoginProviderSettings,
  { provider, issuer }: { provider: LoginProvider; issuer: string | null },
) => [undefined, issuer].includes(configuredIssuer(config, provider));

/** Connects an account at a provider to that of a session, or confirms who it is. */
async function connect(
  trx: Kysely<Database>,
  { lockSession, config }: Dependencies,
  session: Session,
  identity: LoginIdentity,
  visitor: Visitor,
): Promise<ConnectResult> {
  const { userId, sessionId } = session;
  const accounts = connectedAccountRepository(trx);
  await accounts.lockAccount(userId);
  // The provider may have taken ten seconds to respond, during which this session may have ended.
  const isSignedIn = (await lockSession(trx, { userId, sessionId })) !== null;
  const user = isSignedIn ? await userRepository(trx).byId(userId) : undefined;
  if (!user) throw new LoginProviderError('expired', 'the session has ended');
  const settings = openIdSettings(config, identity.provider);
  if (settings) refuseUnadmitted(settings, identity, [userId], 'login_method_refused');
  const owner = await accounts.ownerOf(identity);
  if (owner && owner.userId !== userId)
    throw new RefusedForAccountError('linked_elsewhere', 'connected to another account', [
      { userId, event: 'login_method_refused', why: 'connected to another account' },
      { userId: owner.userId, event: 'login_method_refused', why: 'asked for by another account' },
    ]);
  if (owner) {
    await storeEmail(accounts, userId, identity);
    return { ended: [], isConfirmed: await confirmSession(trx, config, user, sessionId) };
  }
  if (!isFresh(session)) throw new LoginProviderError('sign_in_again', 'the sign-in is too old to connect anything');
  const email = emailOf(identity);
  if (!user.emailVerified && user.email !== email)
    throw new RefusedForAccountError('unconfirmed_email', 'the address of the account is not confirmed', [
      { userId, event: 'login_method_refused', why: 'address not confirmed' },
    ]);
  await attachIdentity(trx, config, userId, { ...identity, email }, visitor, 'login_method_refused');
  return { ended: user.emailVerified ? [] : await confirm(trx, user, sessionId, visitor), isConfirmed: false };
}

/**
 * For a user who signs in with login providers only, another sign-in there confirms their identity. Others confirm it
 * with their second factor or password. Returns true if confirmed.
 */
async function confirmSession(trx: Kysely<Database>, config: PasswordLogin, user: UserRecord, sessionId: string) {
  const { id } = user;
  if (usablePasswordHash(config, user) !== null || (await secondFactorRepository(trx).waysOf(id)).length > 0)
    return false;
  await sessionRepository(trx).setConfirmed(id, sessionId);
  return true;
}

/** @throws last_sign_in_method */
async function disconnect(
  trx: Kysely<Database>,
  config: Dependencies['config'],
  userId: number,
  provider: LoginProvider,
  visitor: Visitor,
) {
  const accounts = connectedAccountRepository(trx);
  const name = providerName(config, provider);
  // Two concurrent removals must not each count on the other’s method.
  await accounts.lockAccount(userId);
  const user = await userRepository(trx).byId(userId);
  const connected = (await accounts.listOf(userId)).filter((identity) => isCurrent(config, identity));
  if (!user || !connected.some((identity) => identity.provider === provider))
    throw new AppError('not_found', `${name} is not connected to this account.`);
  // A provider that is no longer configured does not count.
  const others = connected.filter(
    (other) => other.provider !== provider && configuredIssuer(config, other.provider) !== undefined,
  );
  const canEnter =
    others.length > 0 ||
    (config.passwordLogin && (user.passwordHash !== null || (await secondFactorRepository(trx).hasPasskey(userId))));
  if (!canEnter)
    throw new AppError(
      'last_sign_in_method',
      `${name} is the only way into this account. ${config.passwordLogin ? 'Set a password first, or connect another account' : 'Connect another account first'}.`,
    );
  await accounts.delete(userId, provider);
  await securityEventRepository(trx).record(event('login_method_disconnected', userId, name, visitor));
  await notify(trx, 'login_method_disconnected', userId, provider, name);
}

/**
 * Other sessions may belong to somebody who registered the address without owning it. Returns the ids of the ended
 * sessions.
 */
async function confirm(trx: Kysely<Database>, user: UserRecord, sessionId: string, visitor: Visitor) {
  await connectedAccountRepository(trx).confirmAddress(user.id, user.email);
  await securityEventRepository(trx).record({ userId: user.id, event: 'email_confirmed', by: 'self', visitor });
  return revokeOtherAccess(trx, { userId: user.id, sessionId }, visitor);
}
