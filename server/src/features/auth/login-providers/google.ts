import type { Configuration } from 'openid-client';
import { z } from 'zod';
import type { Config } from '#server/config/config';
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

/** Claims besides the subject. A malformed claim counts as missing and does not invalidate the others. */
const Claims = z.object({
  email: z.string().min(1).optional().catch(undefined),
  /** Some issuers send it as a string. */
  email_verified: z
    .union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })])
    .optional()
    .catch(undefined),
  name: z.unknown().optional(),
});
type Claims = z.output<typeof Claims>;
const Subject = z.object({ sub: z.string().min(1).max(255) });

type Settings = NonNullable<Config['google']>;

export function googleProvider(settings: Settings): LoginProviderClient {
  let discovered: Promise<Configuration> | undefined;

  /** Discovers again after a failure: the issuer’s metadata may have changed. */
  async function withConfiguration<T>(work: (configuration: Configuration) => Promise<T>): Promise<T> {
    discovered ??= discover(settings);
    const used = discovered;
    try {
      return await work(await used);
    } catch (error) {
      if (discovered === used) discovered = undefined;
      throw error;
    }
  }

  return {
    authorizationUrl: ({ state, nonce, codeVerifier }, redirectUri) =>
      withConfiguration(async (configuration) => {
        const oidc = await import('openid-client');
        return oidc.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri.href,
          scope: 'openid email profile',
          state,
          nonce,
          code_challenge: pkceChallenge(codeVerifier),
          code_challenge_method: 'S256',
        });
      }),
    identify: (flow, callback) =>
      withConfiguration(async (configuration) => {
        const { sub, claims } = await claimsOf(configuration, flow, callback);
        const name = parseName(claims.name);
        return {
          provider: 'google',
          issuer: normalizeIssuer(settings.issuer),
          subject: sub,
          email: emailOf(claims, settings),
          name,
        };
      }),
  };
}

/** Loads the library and the issuer’s metadata at first use. */
async function discover({ clientId, clientSecret, issuer, proxyFor }: Settings): Promise<Configuration> {
  const oidc = await import('openid-client');
  return oidc.discovery(
    issuer,
    clientId,
    undefined,
    // The secret is revealed only for the call.
    (...request) => oidc.ClientSecretPost(clientSecret.reveal())(...request),
    {
      timeout: timeoutSeconds,
      [oidc.customFetch]: boundedFetch(createProxyFetch(proxyFor)),
      execute: [
        oidc.enableNonRepudiationChecks,
        // `config.ts` allows plain http on loopback only.
        ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
      ],
    },
  );
}

async function claimsOf(
  configuration: Configuration,
  { state, nonce, codeVerifier }: Parameters<LoginProviderClient['identify']>[0],
  callback: URL,
): Promise<{ sub: string; claims: Said }> {
  const oidc = await import('openid-client');
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier, idTokenExpected: true };
  const tokens = await oidc.authorizationCodeGrant(configuration, callback, checks).catch((cause: unknown) => {
    if (!isSharedSignature(cause)) throw cause;
    throw new LoginProviderError('shared_signature', 'identity tokens are signed with HS256: set the client to RS256', {
      cause,
    });
  });
  const claims = tokens.claims();
  const { sub } = Subject.parse(claims);
  const own = Claims.parse(claims);
  const isComplete = own.email !== undefined && own.email_verified !== undefined;
  if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return { sub, claims: own };
  const more = await asProviderFailure(async () =>
    Claims.parse(await oidc.fetchUserInfo(configuration, tokens.access_token, sub)),
  ).catch(returnProviderError);
  return { sub, claims: more instanceof LoginProviderError ? { ...own, failure: more } : joined(own, more) };
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

/**
 * A verification counts only for the address it was stated with: an identity token cannot verify another address from
 * userinfo.
 */
function joined(own: Claims, more: Claims): Claims {
  const isSame = own.email === undefined || more.email === undefined || own.email === more.email;
  return {
    email: more.email ?? own.email,
    email_verified: more.email_verified ?? (isSame ? own.email_verified : undefined),
    name: own.name ?? more.name,
  };
}

type Said = Claims & {
  /** Failure of the userinfo request. The subject is known without it. */
  failure?: LoginProviderError;
};

function emailOf({ email, email_verified: verified, failure }: Said, { trustEmail }: Settings): LoginIdentity['email'] {
  if (email === undefined)
    return failure ?? new LoginProviderError('email_missing', 'neither identity token nor userinfo names an address');
  if (verified === false) return new LoginProviderError('email_unverified', 'the address is not verified');
  if (verified || trustEmail) return parseEmail(email);
  const missing = 'neither identity token nor userinfo has email_verified; GOOGLE_TRUST_EMAIL=true takes its addresses';
  return failure ?? new LoginProviderError('email_unvouched', missing);
}
