import type { Configuration } from 'openid-client';
import { z } from 'zod';
import type { OpenIdSettings } from '#server/config/openid-providers';
import { createProxyFetch } from '#server/outbound/proxy';
import { boundedFetch, type LogoutToken, timeoutSeconds } from './login-provider.ts';

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
/** Signatures that only the provider can make. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const toleratedSeconds = 90;
const acceptedForSeconds = 10 * 60;

const text = z.string().min(1).max(255);
/** OpenID Connect Back-Channel Logout 1.0, section 2.4. A nonce would make it an identity token. */
const Claims = z
  .object({
    iat: z.number(),
    jti: text,
    sub: text.optional(),
    sid: text.optional(),
    events: z.object({ [logoutEvent]: z.looseObject({}) }),
    nonce: z.undefined().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined);

/** Each key is checked when it is used. */
const Keys = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** @throws unless the provider signed it for this client just now */
export async function verifyLogoutToken(
  configuration: Configuration,
  { clientId, proxyFor }: Pick<OpenIdSettings, 'clientId' | 'proxyFor'>,
  token: string,
): Promise<LogoutToken> {
  const { createLocalJWKSet, jwtVerify } = await import('jose');
  const { issuer, jwks_uri: address } = configuration.serverMetadata();
  if (address === undefined) throw new Error('the provider names no keys');
  // Fetched each time, because keys rotate and these tokens are rare.
  const answer = await boundedFetch(createProxyFetch(proxyFor))(address, {
    method: 'GET',
    headers: { accept: 'application/json' },
    body: undefined,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutSeconds * 1000),
  });
  if (answer.status !== 200) throw new Error(`status ${answer.status} for the keys`);
  const keys = createLocalJWKSet(Keys.parse(await answer.json()));
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms,
    clockTolerance: toleratedSeconds,
    maxTokenAge: acceptedForSeconds,
  });
  const { jti, sub, sid } = Claims.parse(payload);
  return { jti, sub, sid };
}

/** The provider’s page that ends the session there; null: it has none. */
export async function providerLogoutUrl(
  configuration: Configuration,
  idToken: string | undefined,
  returnTo: URL,
): Promise<URL | null> {
  if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
  const oidc = await import('openid-client');
  return oidc.buildEndSessionUrl(configuration, {
    post_logout_redirect_uri: returnTo.href,
    ...(idToken !== undefined && { id_token_hint: idToken }),
  });
}
