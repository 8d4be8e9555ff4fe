import { createHash } from 'node:crypto';
import type { OpenIdProvider } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import { type SignInOutcome, tokenHash } from '#server/features/auth/shared/complete-sign-in';
import { providerSessionRepository } from '#server/features/auth/shared/provider-session-repository';
import type { SignedInUser } from '#server/security/actor';
import { encryptWithDataKey } from '#server/security/encryption';
import { securityEventRepository } from '#server/security/events-repository';
import { Secret } from '#server/security/secret';
import { type Vault, VaultError } from '#server/security/vault';
import { type LoginProviderSettings, openIdSettings, providerName } from './configured.ts';
import { normalizeIssuer } from './issuers.ts';
import {
  asProviderFailure,
  type LoginIdentity,
  type LoginProviderClient,
  LoginProviderError,
} from './login-provider.ts';

type Dependencies = {
  db: Kysely<Database>;
  vault: Vault;
  config: Pick<Config, 'publicUrl'> & LoginProviderSettings;
  providers: ReadonlyMap<string, LoginProviderClient>;
  onSessionsEnded: (sessionIds: string[]) => void;
};

/** Notes, in the transaction of a sign-in, which login at the provider it came from. */
export async function noteProviderLogin(
  trx: Kysely<Database>,
  { vault, config }: Pick<Dependencies, 'vault' | 'config'>,
  userId: number,
  { provider, issuer, subject, session }: LoginIdentity,
  { token }: SignInOutcome,
) {
  const settings = openIdSettings(config, provider);
  if (!settings || !session) return;
  const { sid, idToken } = session;
  const idTokenSealed =
    idToken === null ? null : await encryptWithDataKey({ db: trx, vault }, userId, new Secret(idToken), 'id-token');
  const login = { userId, provider: settings.id, issuer, subject, sid, idTokenSealed };
  await providerSessionRepository(trx).insert(login, tokenHash(token));
}

/** Ends sessions at both ends: those there when people sign out here, and those here when the provider says so. */
export function providerSessionService({ db, vault, config, providers, onSessionsEnded }: Dependencies) {
  const sessions = providerSessionRepository(db);

  return {
    async isFromProvider({ userId, sessionId }: SignedInUser): Promise<boolean> {
      return config.openId.length > 0 && (await sessions.find(userId, sessionId)) !== undefined;
    },

    /** The provider’s page to open after signing out; null: none, or it does not answer. Call it before the session ends. */
    async logoutUrl({ userId, sessionId }: SignedInUser): Promise<string | null> {
      const login = config.openId.length > 0 ? await sessions.find(userId, sessionId) : undefined;
      const client = login && providers.get(login.provider);
      if (!login || !client?.logoutUrl) return null;
      const idToken = openIdToken(vault, userId, login);
      const work = client.logoutUrl(idToken, new URL('/auth', config.publicUrl));
      const url = await asProviderFailure(() => work).catch((error: unknown) => {
        if (error instanceof LoginProviderError) return null;
        throw error;
      });
      return url?.href ?? null;
    },

    /**
     * Back-channel logout.
     * @throws LoginProviderError unless the token is good and was not used before
     */
    async endByToken(provider: OpenIdProvider, token: string): Promise<number> {
      const settings = openIdSettings(config, provider);
      const verify = providers.get(provider)?.verifyLogoutToken;
      if (!settings || !verify) throw new LoginProviderError('not_configured', 'this sign-in is not configured');
      const { jti, sub, sid } = await asProviderFailure(() => verify(token));
      const issuer = normalizeIssuer(settings.issuer);
      const idHash = createHash('sha256')
        .update(JSON.stringify([provider, issuer, jti]))
        .digest('hex');
      const ended = await db.transaction().execute(async (trx) => {
        const rows = providerSessionRepository(trx);
        if (!(await rows.useLogoutToken(idHash)))
          throw new LoginProviderError('expired', 'the logout token was used before');
        const found = await rows.end({ provider, issuer }, { sid, sub });
        for (const { userId } of found) {
          const detail = `Signed out at ${providerName(config, provider)}`;
          await securityEventRepository(trx).record({ userId, event: 'session_ended', by: 'self', detail });
        }
        return found;
      });
      onSessionsEnded(ended.map(({ sessionId }) => sessionId));
      return ended.length;
    },
  };
}

export type ProviderSessionService = ReturnType<typeof providerSessionService>;

/** undefined: there is none, or it cannot be read any more, and the provider asks instead. */
function openIdToken(
  vault: Vault,
  userId: number,
  { idTokenSealed, wrapped }: { idTokenSealed: string | null; wrapped: string | null },
): string | undefined {
  if (idTokenSealed === null || wrapped === null) return undefined;
  try {
    return vault.openProviderKey(userId, wrapped, idTokenSealed, 'id-token').reveal();
  } catch (error) {
    if (error instanceof VaultError) return undefined;
    throw error;
  }
}
