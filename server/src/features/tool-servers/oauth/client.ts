import type { Kysely } from 'kysely';
import type { ToolTimeouts } from '#server/conversation/tool-timeouts';
import type { Database } from '#server/db/schema';
import type { ServerSecrets } from '#server/features/tool-servers/shared/headers';
import type { StoredServer } from '#server/features/tool-servers/shared/repository';
import { toolSelectionRepository } from '#server/features/tool-servers/shared/tool-selection-repository';
import type { SsrfGuard } from '#server/outbound/ssrf-guard';
import { loadAuth } from './discovery.ts';
import { type Authority, Client, type EncryptedSignIns } from './encrypted.ts';
import { SignInError } from './failure.ts';
import { oauthFetch } from './fetch.ts';
import { signInRepository } from './sign-in-repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  sealed: EncryptedSignIns;
  headers: ServerSecrets;
  outgoing: SsrfGuard;
  times: Pick<ToolTimeouts, 'signInMs'>;
};
type ClientRequest = {
  server: StoredServer;
  userId: number;
  authority: Authority;
  scope: string | undefined;
  redirectUri: string;
};

const methods = ['client_secret_basic', 'client_secret_post', 'none'];
/** An hour, so that it outlives the sign-in. */
const restSeconds = 60 * 60;

/** Prefers a secret, which is stored encrypted. If nothing is said, RFC 8414 means the first one. */
const methodFor = ({ token_endpoint_auth_methods_supported: supported }: Authority) =>
  methods.find((method) => supported?.includes(method) ?? true) ?? 'none';

const isGood = (client: Client, { authority, redirectUri }: ClientRequest) =>
  client.issuer === authority.issuer &&
  client.redirectUri === redirectUri &&
  (!client.client_secret_expires_at || client.client_secret_expires_at > Date.now() / 1000 + restSeconds);

/**
 * Roster's client for this user: as the owner of the server has entered it, as before, or newly registered.
 * @throws SignInError
 */
export async function clientFor(dependencies: Dependencies, wanted: ClientRequest): Promise<Client> {
  const { db, sealed, headers } = dependencies;
  const { server, userId, authority, redirectUri } = wanted;
  if (server.auth_name !== null) {
    const wrapped = await toolSelectionRepository(db).dataKey(server.user_id);
    const secret = headers.clientSecret(server, wrapped);
    return {
      issuer: authority.issuer,
      redirectUri,
      client_id: server.auth_name,
      ...(secret !== null && { client_secret: secret }),
    };
  }
  const row = await signInRepository(db).find(userId, server.id);
  const stored =
    row && sealed.open(Client, userId, 'tool-server-client', { sealed: row.client_sealed, wrapped: row.wrapped });
  if (stored && isGood(stored, wanted)) return stored;
  return registered(dependencies, wanted);
}

async function registered(
  { outgoing, times }: Dependencies,
  { authority, scope, redirectUri }: ClientRequest,
): Promise<Client> {
  if (authority.registration_endpoint === undefined)
    throw new SignInError(
      `${new URL(authority.issuer).host} does not support automatic client registration. Register Roster there with the redirect address ${redirectUri}, and enter the client ID under Edit.`,
    );
  const { registerClient } = await loadAuth();
  const given = await registerClient(authority.issuer, {
    metadata: authority,
    clientMetadata: {
      client_name: 'Roster',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: methodFor(authority),
    },
    ...(scope !== undefined && { scope }),
    fetchFn: oauthFetch(outgoing, times.signInMs),
  });
  return Client.parse({ ...given, issuer: authority.issuer, redirectUri });
}
