import type { Kysely, Selectable } from 'kysely';
import type { ToolTimeouts } from '#server/conversation/tool-timeouts';
import type { Database } from '#server/db/schema';
import { SignInRequiredError, ToolServerError } from '#server/features/tool-servers/shared/failure';
import type { ServerSecrets } from '#server/features/tool-servers/shared/headers';
import { settlesWithin } from '#server/lib/with-timeout';
import type { SsrfGuard } from '#server/outbound/ssrf-guard';
import type { Vault } from '#server/security/vault';
import { type EncryptedSignIns, encryptedSignIns, Tokens } from './encrypted.ts';
import { createTokenRenewal, type RenewalDependencies, type RenewedTokens } from './renewal.ts';
import { type StoredSignIn, signInRepository } from './sign-in-repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  vault: Vault;
  outgoing: SsrfGuard;
  headers: ServerSecrets;
  times: Pick<ToolTimeouts, 'signInMs'>;
};
type ServerWithDataKey = Selectable<Database['tool_servers']> & {
  /** Data key of the server's owner. */
  wrapped: string | null;
};
type Credentials = Record<string, string>;

/** Early enough that the token is still valid when the server reads it. */
const renewedBeforeMs = 60_000;
const closingMs = 3_000;

const where = 'under Settings, Tools.';
const signInNeeded = (name: string) =>
  new SignInRequiredError(`Sign in to “${name}” first, ${where}`, { mayHaveRun: false });
const signInAgain = (name: string, cause?: unknown) =>
  new SignInRequiredError(`Your sign-in to “${name}” has expired. Sign in again, ${where}`, {
    mayHaveRun: false,
    cause,
  });
const refused = (name: string, cause: ToolServerError) =>
  new ToolServerError(
    `“${name}” refuses the account you are signed in with (403). Sign in with one that has access, ${where}`,
    { mayHaveRun: cause.mayHaveRun, cause, status: 403 },
  );

const isAfter = (moment: string | null, ms: number) => moment !== null && Date.parse(moment) <= ms;
const bearer = ({ access }: Pick<Tokens, 'access'>): Credentials => ({ authorization: `Bearer ${access}` });

/** @throws SignInRequiredError */
function opened(sealed: EncryptedSignIns, server: ServerWithDataKey, row: StoredSignIn | undefined): Tokens {
  if (!row?.tokens_sealed) throw row?.signed_in_at ? signInAgain(server.name) : signInNeeded(server.name);
  const { user_id: userId, tokens_sealed, wrapped } = row;
  const tokens = sealed.open(Tokens, userId, 'tool-server-tokens', { sealed: tokens_sealed, wrapped });
  // Issued for the address that the server had then.
  if (tokens?.url !== server.url) throw signInAgain(server.name);
  return tokens;
}

/** Credentials for a server: none, its owner's header, or the user's own tokens, which are renewed when needed. */
export function createServerAccess({ db, vault, outgoing, headers, times }: Dependencies) {
  const signIns = signInRepository(db);
  const sealed = encryptedSignIns({ db, vault });
  const renewalDependencies: RenewalDependencies = { db, sealed, outgoing, times };
  const { renew, inProgress } = createTokenRenewal(renewalDependencies);

  async function renewed(server: ServerWithDataKey, userId: number, version: number): Promise<RenewedTokens> {
    const result = await renew(userId, server.id, version);
    if (result === null) throw signInAgain(server.name);
    return result;
  }

  async function current(server: ServerWithDataKey, userId: number): Promise<RenewedTokens> {
    const row = await signIns.find(userId, server.id);
    const tokens = opened(sealed, server, row);
    const version = row?.version ?? 0;
    const expiresAt = row?.expires_at ?? null;
    if (!isAfter(expiresAt, Date.now() + renewedBeforeMs)) return { tokens, version };
    try {
      return await renewed(server, userId, version);
    } catch (error) {
      // The authorization server is unavailable for now, and these are still valid.
      if (
        error instanceof ToolServerError &&
        !(error instanceof SignInRequiredError) &&
        !isAfter(expiresAt, Date.now())
      )
        return { tokens, version };
      throw error;
    }
  }

  async function withTokens<T>(
    server: ServerWithDataKey,
    userId: number,
    work: (credentials: Credentials) => Promise<T>,
  ) {
    const first = await current(server, userId);
    const isRefused = (error: unknown): error is ToolServerError =>
      error instanceof ToolServerError && error.status === 401;
    try {
      return await work(bearer(first.tokens));
    } catch (error) {
      if (error instanceof ToolServerError && error.status === 403) throw refused(server.name, error);
      if (!isRefused(error)) throw error;
    }
    const second = await renewed(server, userId, first.version);
    try {
      return await work(bearer(second.tokens));
    } catch (error) {
      if (!isRefused(error)) throw error;
      await signIns.end(userId, server.id, second.version, false);
      throw signInAgain(server.name, error);
    }
  }

  return {
    /** Runs `work`, and again if the tokens had to be renewed. @throws ToolServerError */
    use: <T>(server: ServerWithDataKey, userId: number, work: (credentials: Credentials) => Promise<T>): Promise<T> =>
      server.auth_type === 'oauth' ? withTokens(server, userId, work) : work(headers.open(server, server.wrapped)),
    /** Waits for renewals, so that new tokens are not lost. */
    close: () => settlesWithin(closingMs, Promise.allSettled(inProgress())),
  };
}

export type ServerAccess = ReturnType<typeof createServerAccess>;
