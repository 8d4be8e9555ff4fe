import type { Configuration } from 'openid-client';
import { z } from 'zod';
import type { Config } from '#server/config';
import {
  boundedFetch,
  challengeOf,
  type LoginIdentity,
  type LoginProviderClient,
  LoginProviderError,
  timeoutSeconds,
  usableEmail,
  usableName,
} from './login-provider.ts';

const Claims = z.object({
  sub: z.string().min(1).max(255),
  email: z.string().optional(),
  email_verified: z.unknown().optional(),
  name: z.unknown().optional(),
});

type Settings = NonNullable<Config['google']>;

/** OpenID Connect, as Google does it. */
export function googleProvider(settings: Settings): LoginProviderClient {
  let discovered: Promise<Configuration> | undefined;

  /** After a failure it is asked anew: what the issuer says of itself may have changed. */
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
          code_challenge: challengeOf(codeVerifier),
          code_challenge_method: 'S256',
        });
      }),
    identify: async (flow, callback) =>
      identityOf(await withConfiguration((configuration) => claimsOf(configuration, flow, callback))),
  };
}

/** The library, and what the issuer says of itself, at the first use. */
async function discover({ clientId, clientSecret, issuer }: Settings): Promise<Configuration> {
  const oidc = await import('openid-client');
  return oidc.discovery(
    issuer,
    clientId,
    undefined,
    // Read from its wrapper for each call only.
    (...request) => oidc.ClientSecretPost(clientSecret.reveal())(...request),
    {
      timeout: timeoutSeconds,
      [oidc.customFetch]: boundedFetch,
      execute: [
        oidc.enableNonRepudiationChecks,
        // `config.ts` lets plain http pass on loopback only.
        ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
      ],
    },
  );
}

async function claimsOf(
  configuration: Configuration,
  { state, nonce, codeVerifier }: Parameters<LoginProviderClient['identify']>[0],
  callback: URL,
) {
  const oidc = await import('openid-client');
  const tokens = await oidc.authorizationCodeGrant(configuration, callback, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  });
  return Claims.parse(tokens.claims());
}

function identityOf({ sub, email, email_verified, name }: z.output<typeof Claims>): LoginIdentity {
  if (email_verified !== true || email === undefined)
    throw new LoginProviderError('email_unverified', 'the address is not verified');
  return { provider: 'google', subject: sub, email: usableEmail(email), name: usableName(name) };
}
