import type { Configuration } from 'openid-client';
import { z } from 'zod';
import type { Config } from '#server/config/config';
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

const Profile = z.object({ id: z.number().int().positive(), name: z.unknown().optional() });
const Addresses = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

type Settings = NonNullable<Config['github']>;
type LoadConfiguration = () => Promise<Configuration>;

/** OAuth with PKCE. GitHub has no identity token: profile and addresses come from its API. */
export function githubProvider(settings: Settings): LoginProviderClient {
  let configured: Promise<Configuration> | undefined;
  function configuration(): Promise<Configuration> {
    configured ??= configure(settings);
    return configured;
  }

  return {
    async authorizationUrl({ state, codeVerifier }, redirectUri, { again }) {
      const oauth = await import('openid-client');
      return oauth.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri.href,
        scope: 'read:user user:email',
        state,
        code_challenge: pkceChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(again && { prompt: 'select_account' }),
      });
    },
    async identify({ state, codeVerifier }, callback) {
      const oauth = await import('openid-client');
      const { access_token: token } = await oauth.authorizationCodeGrant(await configuration(), callback, {
        expectedState: state,
        pkceCodeVerifier: codeVerifier,
      });
      return identityOf(normalizeIssuer(settings.url), (path) => read(configuration, token, at(settings.apiUrl, path)));
    },
  };
}

const at = (base: URL, path: string) => new URL(`${base.href.replace(/\/+$/, '')}${path}`);

async function configure({ clientId, clientSecret, url, apiUrl, proxyFor }: Settings): Promise<Configuration> {
  const oauth = await import('openid-client');
  const configuration = new oauth.Configuration(
    {
      // GitHub sends this as `iss` in its callbacks.
      issuer: at(url, '/login/oauth').href,
      authorization_endpoint: at(url, '/login/oauth/authorize').href,
      token_endpoint: at(url, '/login/oauth/access_token').href,
    },
    clientId,
    undefined,
    // The secret is revealed only for the call.
    (...request) => oauth.ClientSecretPost(clientSecret.reveal())(...request),
  );
  configuration.timeout = timeoutSeconds;
  configuration[oauth.customFetch] = boundedFetch(createProxyFetch(proxyFor));
  // `config.ts` allows plain http on loopback only.
  if (url.protocol === 'http:' || apiUrl.protocol === 'http:') oauth.allowInsecureRequests(configuration);
  return configuration;
}

async function identityOf(issuer: string, read: (path: string) => Promise<unknown>): Promise<LoginIdentity> {
  const profile = Profile.parse(await read('/user'));
  return {
    provider: 'github',
    issuer,
    subject: String(profile.id),
    email: await emailFrom(read),
    name: parseName(profile.name),
  };
}

/** The profile identifies the user, so a failure to read the addresses does not keep a known user out. */
async function emailFrom(read: (path: string) => Promise<unknown>): Promise<LoginIdentity['email']> {
  const addresses = await asProviderFailure(async () => Addresses.parse(await read('/user/emails?per_page=100'))).catch(
    returnProviderError,
  );
  if (addresses instanceof LoginProviderError) return addresses;
  const primary = addresses.find((address) => address.primary);
  if (!primary) return new LoginProviderError('email_missing', 'there is no primary address');
  if (!primary.verified) return new LoginProviderError('email_unverified', 'the primary address is not verified');
  return parseEmail(primary.email);
}

async function read(configuration: LoadConfiguration, token: string, address: URL): Promise<unknown> {
  const oauth = await import('openid-client');
  const headers = new Headers({ accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' });
  const answer = await oauth.fetchProtectedResource(await configuration(), token, address, 'GET', null, headers);
  if (answer.status !== 200) throw new Error(`status ${answer.status} from the API`);
  return answer.json();
}
