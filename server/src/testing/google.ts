import { OAuth2Server } from 'oauth2-mock-server';
import { addSigningKey } from './openid.ts';

const clientSecret = 'google-secret-never-to-be-logged';

/** The claims of an identity token. */
export type GoogleClaims = Record<string, unknown>;

/** A user at Google whose address is verified. */
export const atGoogle = (sub: string, email: string, more: Record<string, unknown> = {}): GoogleClaims => ({
  sub,
  email,
  email_verified: true,
  ...more,
});

/** An OpenID Connect provider in Google's place; it sends the browser back at once. */
export async function startGoogle() {
  const server = new OAuth2Server();
  await addSigningKey(server, 'RS256');
  await server.start(0, 'localhost');
  const steering: { claims: GoogleClaims; userinfo: GoogleClaims; userinfoStatus: number; allows: boolean } = {
    /** The userinfo response besides the subject. */
    userinfo: {},
    userinfoStatus: 200,
    claims: atGoogle('g-1', 'gina@example.com', { name: 'Gina' }),
    allows: true,
  };
  const issued: string[] = [];
  server.service.on('beforeTokenSigning', (token: { payload: Record<string, unknown> }) => {
    Object.assign(token.payload, steering.claims);
  });
  server.service.on('beforeAuthorizeRedirect', ({ url }: { url: URL }) => {
    issued.push(url.searchParams.get('code') ?? '');
    if (steering.allows) return;
    url.searchParams.delete('code');
    url.searchParams.set('error', 'access_denied');
  });
  server.service.on('beforeResponse', ({ body }: { body: Record<string, unknown> }) => {
    for (const name of ['access_token', 'id_token', 'refresh_token']) issued.push(String(body[name]));
  });
  server.service.on('beforeUserinfo', (answer: { body: Record<string, unknown>; statusCode: number }) => {
    answer.statusCode = steering.userinfoStatus;
    answer.body = { sub: steering.claims.sub, ...steering.userinfo };
  });
  const issuer = server.issuer.url ?? '';
  return {
    issuer,
    /** Its events change single responses. */
    service: server.service,
    /** The user who is signed in there, and whether they allow it. */
    steering,
    /** Every code and token so far: none of them belongs in a log. */
    issued,
    env: {
      GOOGLE_CLIENT_ID: 'roster-at-google',
      GOOGLE_CLIENT_SECRET: clientSecret,
      GOOGLE_ISSUER: issuer,
    },
    close: () => server.stop(),
  };
}

export type Google = Awaited<ReturnType<typeof startGoogle>>;
