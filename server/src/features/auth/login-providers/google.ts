import type { Configuration } from 'openid-client';
import { z } from 'zod';
import type { Config } from '#server/config';
import {
  boundedFetch,
  challengeOf,
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

/** OpenID Connect, as Google does it. */
export function googleProvider({ clientId, clientSecret, issuer }: NonNullable<Config['google']>): LoginProviderClient {
  let discovered: Promise<Configuration> | undefined;

  /** The library, and what the issuer says of itself, at the first use. */
  async function discover(): Promise<Configuration> {
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

  /** After a failure it is asked anew: what the issuer says of itself may have changed. */
  async function withConfiguration<T>(work: (configuration: Configuration) => Promise<T>): Promise<T> {
    discovered ??= discover();
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
    async identify({ state, nonce, codeVerifier }, callback) {
      const claims = await withConfiguration(async (configuration) => {
        const oidc = await import('openid-client');
        const tokens = await oidc.authorizationCodeGrant(configuration, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        return Claims.parse(tokens.claims());
      });
      if (claims.email_verified !== true || claims.email === undefined)
        throw new LoginProviderError('email_unverified', 'the address is not verified');
      return {
        provider: 'google',
        subject: claims.sub,
        email: usableEmail(claims.email),
        name: usableName(claims.name),
      };
    },
  };
}
