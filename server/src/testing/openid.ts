import { OAuth2Server } from 'oauth2-mock-server';

const clientSecret = 'openid-secret-never-to-be-logged';

type Claims = Record<string, unknown>;

const signingKeys = new Map<string, Record<string, unknown>>();

/** Gives a provider the key of this process: generating one for RS256 takes a tenth of a second. */
export async function addSigningKey({ issuer }: OAuth2Server, algorithm: string): Promise<void> {
  const known = signingKeys.get(algorithm);
  if (known) await issuer.keys.add(known);
  else signingKeys.set(algorithm, await issuer.keys.generate(algorithm));
}

type Options = {
  algorithm?: string;
  prefix?: string;
  /** The path of the issuer, such as `/realms/acme/`. */
  path?: string;
};

/** An OpenID Connect provider; it sends the browser back at once. */
export async function startOpenId({ algorithm = 'RS256', prefix = 'OIDC', path = '' }: Options = {}) {
  const wellKnownDocument = `${path.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const server = new OAuth2Server(undefined, undefined, { endpoints: { wellKnownDocument } });
  await addSigningKey(server, algorithm);
  const { keys } = server.issuer;
  const [get, list] = [keys.get.bind(keys), keys.toJSON.bind(keys)];
  await server.start(0, 'localhost');
  const origin = server.issuer.url ?? '';
  const issuer = `${origin}${path}`;
  server.issuer.url = issuer;
  const steering = {
    /** The claims of the identity token besides those of the protocol. */
    claims: { sub: 'p-1', email: 'petra@example.com', email_verified: true } satisfies Claims as Claims,
    /** The userinfo response besides the subject. */
    userinfo: {} as Claims,
    userinfoStatus: 200,
    allows: true,
    /** Seconds that the clock there is ahead. */
    clockAhead: 0,
    authMethods: undefined as string[] | undefined,
  };
  const tokenRequests: { authorization: string | undefined; body: Claims }[] = [];
  server.service.on('beforeWellKnownOpenIdConfiguration', ({ body }: { body: Claims }) => {
    for (const [name, value] of Object.entries(body))
      if (name !== 'issuer' && typeof value === 'string') body[name] = value.replace(issuer.replace(/\/$/, ''), origin);
    body.id_token_signing_alg_values_supported = [algorithm];
    body.token_endpoint_auth_methods_supported = steering.authMethods;
  });
  server.service.on('beforeTokenSigning', ({ payload }: { payload: Claims }) => {
    Object.assign(payload, steering.claims);
    for (const name of ['iat', 'exp', 'nbf'])
      if (typeof payload[name] === 'number') payload[name] += steering.clockAhead;
  });
  server.service.on('beforeAuthorizeRedirect', ({ url }: { url: URL }) => {
    if (steering.allows) return;
    url.searchParams.delete('code');
    url.searchParams.set('error', 'access_denied');
  });
  type TokenRequest = { headers: { authorization?: string }; body: Claims };
  server.service.on('beforeResponse', (_answer: unknown, { headers, body }: TokenRequest) => {
    tokenRequests.push({ authorization: headers.authorization, body });
  });
  server.service.on('beforeUserinfo', (answer: { body: Claims; statusCode: number }) => {
    answer.statusCode = steering.userinfoStatus;
    answer.body = { sub: steering.claims.sub, ...steering.userinfo };
  });
  return {
    issuer,
    service: server.service,
    steering,
    /** Every request for tokens so far. */
    tokenRequests,
    /** Signs with a new key from now on, and forgets the others. */
    async rotateKeys() {
      const { kid } = await keys.generate(algorithm);
      keys.get = () => get(kid);
      keys.toJSON = (isPrivate) => list(isPrivate).filter((key) => key.kid === kid);
    },
    /** Signs any token, such as one that ends a session. */
    sign: (payload: Claims, header: Claims = {}): Promise<string> =>
      server.issuer.buildToken({
        scopesOrTransform: (head, body) => {
          Object.assign(head, header);
          for (const name of Object.keys(body)) delete body[name];
          Object.assign(body, payload);
        },
      }),
    env: {
      [`${prefix}_ISSUER`]: issuer,
      [`${prefix}_CLIENT_ID`]: 'roster',
      [`${prefix}_CLIENT_SECRET`]: `${clientSecret}-${prefix}`,
      [`${prefix}_NAME`]: 'Acme Login',
    },
    close: () => server.stop(),
  };
}

export type OpenId = Awaited<ReturnType<typeof startOpenId>>;
