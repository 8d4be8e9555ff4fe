import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { freePort } from './free-port.ts';

const clientSecret = 'oidc-provider-secret-never-to-be-logged';

/** The claims of a person besides the subject. */
type Person = Record<string, unknown>;

/**
 * A certified OpenID Connect provider that others wrote, with login, consent and logout pages of its own. Its people log
 * in by their subject and any password. Call `serve` once the address of the application is known.
 */
export async function reserveOidcProvider(people: Record<string, Person>) {
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  let stop: (() => Promise<void>) | undefined;

  function serve(appUrl: string) {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: 'roster',
          client_secret: clientSecret,
          redirect_uris: [`${appUrl}/auth/oidc/callback`],
          post_logout_redirect_uris: [`${appUrl}/auth`],
          backchannel_logout_uri: `${appUrl}/auth/oidc/backchannel-logout`,
          backchannel_logout_session_required: true,
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
      scopes: ['openid', 'email', 'profile', 'groups'],
      features: { backchannelLogout: { enabled: true }, rpInitiatedLogout: { enabled: true } },
      ttl: { AccessToken: 600, IdToken: 600, Interaction: 600, Session: 600, Grant: 600 },
      // Its dispatcher refuses loopback addresses.
      fetch: (url, options) =>
        fetch(url, Object.fromEntries(Object.entries(options ?? {}).filter(([name]) => name !== 'dispatcher'))),
      cookies: { keys: ['a-key-for-the-cookies-of-this-test'] },
      findAccount: (_context, id) => people[id] && { accountId: id, claims: async () => ({ ...people[id], sub: id }) },
    });
    const server = createServer(provider.callback());
    stop = () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    return new Promise<void>((resolve) => server.listen(port, 'localhost', resolve));
  }

  return {
    issuer,
    serve,
    env: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'roster',
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_NAME: 'Acme Login',
      OIDC_SCOPES: 'openid email profile groups',
    },
    close: async () => stop?.(),
  };
}
