import { createHash, randomBytes } from 'node:crypto';
import { type ToolSignInFailure, toolSignInCallback } from '@roster/contracts/tool-servers/tool-servers';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { ToolTimeouts } from '#server/conversation/tool-timeouts';
import type { Database } from '#server/db/schema';
import type { ServerSecrets } from '#server/features/tool-servers/shared/headers';
import { type StoredServer, toolServerRepository } from '#server/features/tool-servers/shared/repository';
import { requestDiscovery } from '#server/features/tool-servers/shared/request-discovery';
import { toolSelectionRepository } from '#server/features/tool-servers/shared/tool-selection-repository';
import { AppError } from '#server/lib/errors';
import type { SsrfGuard } from '#server/outbound/ssrf-guard';
import type { Actor, LockActor, SignedInUser } from '#server/security/actor';
import { clientFor } from './client.ts';
import { discover, loadAuth } from './discovery.ts';
import { type EncryptedSignIns, Flow, TokenResponse, type Tokens } from './encrypted.ts';
import { SignInError, toSignInError } from './failure.ts';
import { oauthFetch } from './fetch.ts';
import { expiryOf } from './renewal.ts';
import { signInRepository } from './sign-in-repository.ts';

type SignInDependencies = {
  db: Kysely<Database>;
  config: Pick<Config, 'publicUrl' | 'toolHostsAllowed'>;
  sealed: EncryptedSignIns;
  headers: ServerSecrets;
  outgoing: SsrfGuard;
  times: Pick<ToolTimeouts, 'signInMs'>;
  lockActor: LockActor;
};

/** Parameters with which the browser comes back. */
type CallbackParams = {
  code?: string | undefined;
  state?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
};

const flowMs = 10 * 60_000;
const notBefore = () => new Date(Date.now() - flowMs).toISOString();
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const notFound = () => new AppError('not_found', 'Tool server not found.');

type SignInEnd = { failure: ToolSignInFailure | null; serverId?: number };

async function toSignInAt(db: Kysely<Database>, userId: number, serverId: number): Promise<StoredServer> {
  const server = await toolServerRepository(db).find(userId, serverId);
  if (!server) throw notFound();
  if (server.auth_type !== 'oauth') throw new AppError('conflict', 'This tool server does not use sign-in.');
  return server;
}

/**
 * Returns the address for the browser. The state for its return is stored: valid once, for this session, within ten
 * minutes.
 */
async function begin(dependencies: SignInDependencies, actor: Actor, serverId: number): Promise<{ address: string }> {
  const { db, config, sealed, outgoing, times } = dependencies;
  const { userId, sessionId, recheckAccess } = actor;
  const server = await toSignInAt(db, userId, serverId);
  const { host } = new URL(server.url);
  try {
    const { authority, resource, scope } = await discover(
      outgoing,
      config.toolHostsAllowed,
      server.url,
      times.signInMs,
    );
    const redirectUri = new URL(toolSignInCallback, config.publicUrl).href;
    const client = await clientFor(dependencies, { server, userId, authority, scope, redirectUri });
    const state = randomBytes(32).toString('base64url');
    const { startAuthorization } = await loadAuth();
    const { authorizationUrl, codeVerifier } = await startAuthorization(authority.issuer, {
      metadata: authority,
      clientInformation: client,
      redirectUrl: redirectUri,
      state,
      ...(scope !== undefined && { scope }),
      ...(resource !== undefined && { resource: new URL(resource) }),
    });
    const flow: Flow = { url: server.url, authority, client, resource, verifier: codeVerifier };
    const kept = await sealed.seal(userId, 'tool-server-flow', flow);
    await db.transaction().execute(async (trx) => {
      await recheckAccess(trx);
      const now = await toSignInAt(trx, userId, serverId);
      if (now.url !== server.url) throw new AppError('conflict', 'This tool server has changed. Try again.');
      const signIns = signInRepository(trx);
      await signIns.deleteUntil(notBefore());
      await signIns.noteStarted(userId, serverId);
      await signIns.begin({
        state_hash: hashOf(state),
        server_id: serverId,
        user_id: userId,
        session_id: sessionId,
        sealed: kept,
      });
    });
    return { address: authorizationUrl.href };
  } catch (error) {
    const failure = toSignInError(error, host);
    if (!(failure instanceof SignInError)) throw failure;
    throw new AppError('conflict', failure.message, { cause: failure });
  }
}

/** Exchanges the code for tokens. @throws SignInError */
async function exchanged({ outgoing, times }: SignInDependencies, flow: Flow, code: string) {
  const { authority, client, resource } = flow;
  try {
    const { exchangeAuthorization } = await loadAuth();
    const given = await exchangeAuthorization(authority.issuer, {
      metadata: authority,
      clientInformation: client,
      authorizationCode: code,
      codeVerifier: flow.verifier,
      redirectUri: client.redirectUri,
      ...(resource !== undefined && { resource: new URL(resource) }),
      fetchFn: oauthFetch(outgoing, times.signInMs),
    });
    return TokenResponse.parse(given);
  } catch (error) {
    throw toSignInError(error, new URL(authority.token_endpoint).host);
  }
}

/** True if another issuer sends the browser back than the one that was asked (RFC 9207). */
function isFromOther({ authority }: Flow, iss: string | undefined): boolean {
  if (iss !== undefined) return iss !== authority.issuer;
  return authority.authorization_response_iss_parameter_supported === true;
}

/** Reason why the answer cannot be used, or null. */
function wrongIn(flow: Flow | null, { code, iss, error }: CallbackParams): [ToolSignInFailure, string | null] | null {
  if (!flow) return ['expired', null];
  const { host } = new URL(flow.authority.issuer);
  if (isFromOther(flow, iss)) return ['failed', `The answer did not come from ${host}, so it was not used.`];
  if (error === 'access_denied') return ['cancelled', null];
  if (error !== undefined || code === undefined) {
    const reason = error !== undefined && /^[a-z_]{1,64}$/.test(error) ? `: ${error}` : '';
    return ['failed', `${host} did not sign you in${reason}.`];
  }
  return null;
}

async function finish(
  dependencies: SignInDependencies,
  actor: SignedInUser,
  answer: CallbackParams,
): Promise<SignInEnd> {
  const { db, sealed } = dependencies;
  const { userId, sessionId } = actor;
  const signIns = signInRepository(db);
  const taken = await signIns.take(userId, sessionId, hashOf(answer.state ?? ''), notBefore());
  if (!taken) return { failure: 'expired' };
  const serverId = taken.server_id;
  const wrapped = await toolSelectionRepository(db).dataKey(userId);
  const flow = sealed.open(Flow, userId, 'tool-server-flow', { sealed: taken.sealed, wrapped });
  const wrong = wrongIn(flow, answer);
  if (!flow || wrong) {
    const [failure, notice] = wrong ?? ['expired', null];
    if (notice !== null) await signIns.note(userId, serverId, notice);
    return { failure, serverId };
  }
  try {
    const given = await exchanged(dependencies, flow, answer.code ?? '');
    const { verifier: _, ...common } = flow;
    const tokens: Tokens = { ...common, access: given.access_token, refresh: given.refresh_token };
    return { failure: await store(dependencies, actor, serverId, tokens, expiryOf(given)), serverId };
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    await signIns.note(userId, serverId, error.message);
    return { failure: 'failed', serverId };
  }
}

/** Checks again what held at the start: session, role, and that the tokens are for the server as it is now. */
async function store(
  { db, sealed, lockActor }: SignInDependencies,
  actor: SignedInUser,
  serverId: number,
  tokens: Tokens,
  expiresAt: string | null,
): Promise<ToolSignInFailure | null> {
  const { userId } = actor;
  const kept = {
    client: await sealed.seal(userId, 'tool-server-client', tokens.client),
    tokens: await sealed.seal(userId, 'tool-server-tokens', tokens),
    expiresAt,
  };
  return db.transaction().execute(async (trx) => {
    const role = await lockActor(trx, actor);
    const server = await toolServerRepository(trx).find(userId, serverId);
    const isStill = server?.auth_type === 'oauth' && server.url === tokens.url;
    if (role === null || role === 'Viewer' || !isStill) return 'changed';
    if (!(await signInRepository(trx).save(userId, serverId, kept))) return 'changed';
    if (server.user_id === userId) await requestDiscovery(trx, userId, serverId);
    return null;
  });
}

async function signOut({ db }: SignInDependencies, { userId, recheckAccess }: Actor, serverId: number) {
  await db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    const server = await toSignInAt(trx, userId, serverId);
    await signInRepository(trx).forget(userId, serverId);
    if (server.user_id === userId) await toolServerRepository(trx).awaitSignIn(userId, serverId);
  });
}

/** Each user signs in at a tool server separately, even if an administrator offers it to everyone. */
export const signInService = (dependencies: SignInDependencies) => ({
  begin: (actor: Actor, serverId: number) => begin(dependencies, actor, serverId),
  finish: (actor: SignedInUser, answer: CallbackParams) => finish(dependencies, actor, answer),
  signOut: (actor: Actor, serverId: number) => signOut(dependencies, actor, serverId),
});

export type SignInService = ReturnType<typeof signInService>;
