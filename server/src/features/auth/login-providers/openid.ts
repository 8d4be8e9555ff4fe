import type { ClientAuth, Configuration } from 'openid-client';
import { z } from 'zod';
import type { OpenIdSettings } from '#server/config/openid-providers';
import { isObject } from '#server/lib/is-object';
import { createProxyFetch } from '#server/outbound/proxy';
import { normalizeIssuer } from './issuers.ts';
import {
  asProviderFailure,
  boundedFetch,
  type LoginIdentity,
  type LoginProviderClient,
  LoginProviderError,
  parseEmail,
  parseName,
  pkceChallenge,
  returnProviderError,
  timeoutSeconds,
} from './login-provider.ts';
import { type ClaimNames, type Claims, joinClaims, readClaims, saysSecondFactor } from './openid-claims.ts';
import { providerLogoutUrl, verifyLogoutToken } from './openid-logout.ts';

/** Settings of every OpenID Connect provider; Google is one with fixed answers. */
type OpenIdClientSettings = Pick<
  OpenIdSettings,
  'clientId' | 'clientSecret' | 'issuer' | 'proxyFor' | 'scopes' | 'authMethod' | 'trustEmail'
> & {
  id: LoginIdentity['provider'];
  claims: ClaimNames;
  secondFactor?: OpenIdSettings['secondFactor'];
  /** The variable that accepts addresses without `email_verified`. */
  trustVariable: string;
};

const Subject = z.object({ sub: z.string().min(1).max(255) });
/** Clocks of two machines differ. */
const toleratedSeconds = 90;

/**
 * True if the provider’s keys were fetched within this minute. The library does not ask for others then, although the
 * provider may have replaced them since.
 */
async function hasYoungKeys(discovered: Promise<Configuration>): Promise<boolean> {
  const oidc = await import('openid-client');
  const configuration = await discovered.catch(() => undefined);
  const cache = configuration && oidc.getJwksCache(configuration);
  return cache !== undefined && Date.now() / 1000 - cache.uat < 61;
}

/** Metadata of an issuer. Discovered again after a failure, since it may have changed. */
function discoveredConfiguration(settings: OpenIdClientSettings) {
  let discovered: Promise<Configuration> | undefined;
  return async <T>(work: (configuration: Configuration) => Promise<T>): Promise<T> => {
    if (discovered && (await hasYoungKeys(discovered))) discovered = undefined;
    discovered ??= discover(settings);
    const used = discovered;
    try {
      return await work(await used);
    } catch (error) {
      if (discovered === used) discovered = undefined;
      throw error;
    }
  };
}

export function openIdProvider(settings: OpenIdClientSettings): LoginProviderClient {
  const withConfiguration = discoveredConfiguration(settings);
  return {
    authorizationUrl: ({ state, nonce, codeVerifier }, redirectUri, { again }) =>
      withConfiguration(async (configuration) => {
        const oidc = await import('openid-client');
        return oidc.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri.href,
          scope: settings.scopes,
          state,
          nonce,
          code_challenge: pkceChallenge(codeVerifier),
          code_challenge_method: 'S256',
          // Google knows no `login`.
          ...(again && { prompt: settings.id === 'google' ? 'select_account' : 'login' }),
        });
      }),
    identify: (flow, callback) =>
      withConfiguration(async (configuration) => {
        const { sub, claims, session, secondFactor } = await claimsOf(configuration, settings, flow, callback);
        return {
          provider: settings.id,
          issuer: normalizeIssuer(settings.issuer),
          subject: sub,
          email: emailOf(claims, settings),
          name: parseName(claims.name),
          groups: groupsOf(claims),
          session,
          secondFactor,
        };
      }),
    logoutUrl: (idToken, returnTo) =>
      withConfiguration((configuration) => providerLogoutUrl(configuration, idToken, returnTo)),
    verifyLogoutToken: (token) =>
      withConfiguration((configuration) => verifyLogoutToken(configuration, settings, token)),
  };
}

/** Loads the library and the issuer’s metadata at first use. */
async function discover(settings: OpenIdClientSettings): Promise<Configuration> {
  const { issuer } = settings;
  try {
    return await discoverAt(settings, issuer);
  } catch (error) {
    // The metadata names another issuer. One that differs by the slash at its end is the same.
    if (!isObject(error) || error.code !== 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') throw error;
    const other = new URL(issuer);
    other.pathname = issuer.pathname.endsWith('/') ? issuer.pathname.replace(/\/+$/, '') : `${issuer.pathname}/`;
    if (other.href === issuer.href) throw error;
    return discoverAt(settings, other);
  }
}

async function discoverAt(
  { clientId, clientSecret, issuer, proxyFor, authMethod }: OpenIdClientSettings,
  at: URL,
): Promise<Configuration> {
  const oidc = await import('openid-client');
  /** The secret is revealed only for the call. */
  const authenticate: ClientAuth = (server, ...request) => {
    // A server that names no methods takes the one that the standard begins with.
    const offered = server.token_endpoint_auth_methods_supported ?? [];
    const isPostOnly = offered.includes('client_secret_post') && !offered.includes('client_secret_basic');
    const isPost = authMethod ? authMethod === 'client_secret_post' : isPostOnly;
    const method = isPost ? oidc.ClientSecretPost : oidc.ClientSecretBasic;
    return method(clientSecret.reveal())(server, ...request);
  };
  return oidc.discovery(at, clientId, { [oidc.clockTolerance]: toleratedSeconds }, authenticate, {
    timeout: timeoutSeconds,
    [oidc.customFetch]: boundedFetch(createProxyFetch(proxyFor)),
    execute: [
      oidc.enableNonRepudiationChecks,
      // `config.ts` allows plain http on loopback only.
      ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
    ],
  });
}

type SignInClaims = Claims & {
  /** Failure of the userinfo request. The subject is known without it. */
  failure?: LoginProviderError;
};

async function claimsOf(
  configuration: Configuration,
  settings: OpenIdClientSettings,
  { state, nonce, codeVerifier }: Parameters<LoginProviderClient['identify']>[0],
  callback: URL,
) {
  const oidc = await import('openid-client');
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier, idTokenExpected: true };
  const tokens = await oidc.authorizationCodeGrant(configuration, callback, checks).catch((cause: unknown) => {
    if (!isSharedSignature(cause)) throw cause;
    throw new LoginProviderError('shared_signature', 'identity tokens are signed with HS256: set the client to RS256', {
      cause,
    });
  });
  const signed: Record<string, unknown> = tokens.claims() ?? {};
  const { sub } = Subject.parse(signed);
  const session = {
    sid: typeof signed.sid === 'string' && signed.sid.length <= 255 ? signed.sid : null,
    idToken: tokens.id_token ?? null,
  };
  const secondFactor = saysSecondFactor(signed, settings.secondFactor);
  const own = readClaims(signed, settings.claims);
  const identity = { sub, session, secondFactor };
  if (isComplete(own, settings) || configuration.serverMetadata().userinfo_endpoint === undefined)
    return { ...identity, claims: own };
  const more = await asProviderFailure(async () =>
    readClaims(await oidc.fetchUserInfo(configuration, tokens.access_token, sub), settings.claims),
  ).catch(returnProviderError);
  const claims: SignInClaims = more instanceof LoginProviderError ? { ...own, failure: more } : joinClaims(own, more);
  return { ...identity, claims };
}

/** True if userinfo need not be asked. A name alone is not worth a request. */
function isComplete({ email, isVerified, groups }: Claims, settings: OpenIdClientSettings): boolean {
  const hasEmail = email !== undefined && (isVerified !== undefined || settings.claims.email !== 'email');
  const hasGroups = settings.claims.groups === undefined || Array.isArray(groups);
  return hasEmail && hasGroups;
}

/**
 * True for a token signed with the client secret (HS256 and the like); the library names the algorithm among the
 * causes.
 */
function isSharedSignature(error: unknown): boolean {
  for (let cause = error; isObject(cause) && !(cause instanceof Response); cause = cause.cause) {
    const { alg } = isObject(cause.header) ? cause.header : cause;
    if (typeof alg === 'string' && alg.startsWith('HS')) return true;
  }
  return false;
}

function emailOf({ email, isVerified, failure }: SignInClaims, settings: OpenIdClientSettings): LoginIdentity['email'] {
  if (email === undefined)
    return failure ?? new LoginProviderError('email_missing', 'neither identity token nor userinfo names an address');
  if (isVerified === false) return new LoginProviderError('email_unverified', 'the address is not verified');
  if (isVerified || settings.trustEmail) return parseEmail(email);
  const missing = `neither identity token nor userinfo has email_verified; ${settings.trustVariable}=true takes its addresses`;
  return failure ?? new LoginProviderError('email_unvouched', missing);
}

/** Without an answer from userinfo nobody knows whether there are no groups. */
function groupsOf({ groups, failure }: SignInClaims): LoginIdentity['groups'] {
  if (groups !== undefined || failure === undefined) return groups ?? [];
  return new LoginProviderError('groups_unknown', 'userinfo did not answer as it should', { cause: failure.cause });
}
