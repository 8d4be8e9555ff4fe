import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { HttpClient } from './http-client.ts';
import { listening, startToolServer } from './tool-peer.ts';
import { until } from './until.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
type Client = { secret: string | undefined; redirectUris: string[] };
type Authorization = {
  clientId: string;
  redirectUri: string;
  challenge: string;
  state: string;
  resource: string;
  scope: string;
};

const random = (word: string) => `${word}-${randomBytes(12).toString('hex')}`;
const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request) body += part;
  return body;
}

/** Changes responses; parts that a test leaves alone follow the specifications. */
type Steering = {
  /** Merged over its metadata. */
  describes: Record<string, unknown>;
  /** Merged over the tool server's metadata. */
  resourceSays: Record<string, unknown>;
  allows: boolean;
  /** Asks the user on a page. */
  asks: boolean;
  /** Seconds; undefined: not reported. */
  expiresIn: number | undefined;
  /** Each refresh token is valid once, and a new one comes with the tokens. */
  rotates: boolean;
};

/**
 * An authorization server for one tool server by OAuth 2.1 and the MCP specification: registration, PKCE, single-use
 * codes, rotating refresh tokens, and an issuer in the response.
 *
 * Long: its five endpoints.
 */
export async function startAuthorizationServer(given: Partial<Steering> = {}) {
  const steering: Steering = {
    describes: {},
    resourceSays: {},
    allows: true,
    asks: false,
    expiresIn: 3_600,
    rotates: true,
    ...given,
  };
  /** Replaces the usual response at a path. */
  const instead = new Map<string, Handler>();
  const clients = new Map<string, Client>();
  const authorizations = new Map<string, Authorization>();
  const codes = new Map<string, Authorization>();
  const [accessTokens, refreshTokens] = [new Set<string>(), new Set<string>()];
  /** Values that must be found nowhere else. */
  const secrets: string[] = [];
  const requests: { path: string; form: URLSearchParams }[] = [];

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  const url = `http://127.0.0.1:${await listening(server)}`;

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const body = await bodyOf(request);
    requests.push({ path: pathname, form: request.method === 'POST' ? new URLSearchParams(body) : searchParams });
    const replaced = instead.get(pathname);
    if (replaced) return replaced(request, response);
    if (pathname === '/.well-known/oauth-authorization-server') return json(response, 200, description());
    if (pathname === '/register') return register(response, JSON.parse(body));
    if (pathname === '/authorize') return authorize(searchParams, response);
    if (pathname === '/decision') return decide(searchParams, response);
    if (pathname === '/token') return token(request, new URLSearchParams(body), response);
    return json(response, 404, {});
  }

  const description = () => ({
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    registration_endpoint: `${url}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...steering.describes,
  });

  function register(response: ServerResponse, { redirect_uris: redirectUris, ...rest }: { redirect_uris: string[] }) {
    const client = { id: random('client'), secret: random('client-secret') };
    clients.set(client.id, { secret: client.secret, redirectUris });
    secrets.push(client.secret);
    json(response, 201, { ...rest, redirect_uris: redirectUris, client_id: client.id, client_secret: client.secret });
  }

  function authorize(query: URLSearchParams, response: ServerResponse) {
    const text = (name: string) => query.get(name) ?? '';
    const one: Authorization = {
      clientId: text('client_id'),
      redirectUri: text('redirect_uri'),
      challenge: text('code_challenge'),
      state: text('state'),
      resource: text('resource'),
      scope: text('scope'),
    };
    const client = clients.get(one.clientId);
    if (!client?.redirectUris.includes(one.redirectUri) || text('code_challenge_method') !== 'S256')
      return json(response, 400, { error: 'invalid_request' });
    const id = random('asked');
    authorizations.set(id, one);
    if (!steering.asks)
      return decide(new URLSearchParams({ id, decision: steering.allows ? 'allow' : 'deny' }), response);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(
      `<!doctype html><html lang="en"><title>Let Roster in</title><h1>Let Roster in?</h1><form action="/decision">
<input type="hidden" name="id" value="${id}"><button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button></form></html>`,
    );
  }

  function decide(query: URLSearchParams, response: ServerResponse) {
    const one = authorizations.get(query.get('id') ?? '');
    if (!one) return json(response, 404, {});
    const back = new URL(one.redirectUri);
    if (query.get('decision') === 'allow') {
      const code = random('code');
      codes.set(code, one);
      secrets.push(code);
      back.searchParams.set('code', code);
    } else back.searchParams.set('error', 'access_denied');
    back.searchParams.set('state', one.state);
    back.searchParams.set('iss', url);
    return response.writeHead(302, { location: back.href }).end();
  }

  /** Basic authentication, with Roster's registered credentials. */
  function isClient({ headers }: IncomingMessage): boolean {
    const [id = '', secret] = Buffer.from(headers.authorization?.split(' ')[1] ?? '', 'base64')
      .toString()
      .split(':');
    return clients.has(id) && clients.get(id)?.secret === secret;
  }

  function token(request: IncomingMessage, form: URLSearchParams, response: ServerResponse) {
    if (!isClient(request)) return json(response, 401, { error: 'invalid_client' });
    if (form.get('grant_type') === 'refresh_token') {
      const old = form.get('refresh_token') ?? '';
      if (!refreshTokens.has(old)) return json(response, 400, { error: 'invalid_grant' });
      if (steering.rotates) refreshTokens.delete(old);
      return json(response, 200, tokens());
    }
    const code = form.get('code') ?? '';
    const one = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (one?.challenge !== challenge || one.redirectUri !== form.get('redirect_uri'))
      return json(response, 400, { error: 'invalid_grant' });
    return json(response, 200, tokens());
  }

  function tokens() {
    const [access, refresh] = [random('access'), random('refresh')];
    accessTokens.add(access);
    refreshTokens.add(refresh);
    secrets.push(access, refresh);
    const { expiresIn, rotates } = steering;
    return {
      access_token: access,
      token_type: 'Bearer',
      ...(expiresIn !== undefined && { expires_in: expiresIn }),
      ...(rotates && { refresh_token: refresh }),
    };
  }

  return {
    url,
    steering,
    instead,
    clients,
    accessTokens,
    refreshTokens,
    secrets,
    requests,
    /** The number of requests to a path. */
    count: (path: string, form: Record<string, string> = {}) =>
      requests.filter(
        (one) => one.path === path && Object.entries(form).every(([key, value]) => one.form.get(key) === value),
      ).length,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A tool server that requires a token of the authorization server, and says where that is. */
export async function startProtectedToolServer(given: Partial<Steering> = {}) {
  const authority = await startAuthorizationServer(given);
  const tools = await startToolServer();
  const { origin } = new URL(tools.url);
  const described = `${origin}/.well-known/oauth-protected-resource/mcp`;
  tools.peer.instead = (request, response) => {
    if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
      const says = { resource: tools.url, authorization_servers: [authority.url], scopes_supported: ['notes'] };
      json(response, 200, { ...says, ...authority.steering.resourceSays });
      return true;
    }
    const [, token = ''] = request.headers.authorization?.split(' ') ?? [];
    if (authority.accessTokens.has(token)) return false;
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${described}"` }).end();
    return true;
  };
  return {
    ...tools,
    authority,
    async close() {
      await tools.close();
      await authority.close();
    },
  };
}

const path = '/api/tool-servers';

/** Presses 'Sign In', and returns the URL that the browser is sent to. */
export async function addressOf(visitor: HttpClient, id: number): Promise<URL> {
  const { status, body } = await visitor.post(`${path}/${id}/sign-in`);
  if (status !== 200) throw new Error(`Not started: ${JSON.stringify(body)}`);
  return new URL(body.address);
}

/** The URL that the authorization server sends the browser back to. */
export async function authorizationResult(address: URL): Promise<URL> {
  const { headers } = await fetch(address, { redirect: 'manual' });
  return new URL(headers.get('location') ?? '');
}

/** Returns from there; gives the URL of the page where it ends. */
export async function followCallback(visitor: HttpClient, { pathname, search }: URL): Promise<string> {
  const { headers } = await visitor.get(`${pathname}${search}`);
  const { pathname: page, search: end } = new URL(String(headers.location));
  return `${page}${end}`;
}

/** The whole sign-in; gives the URL of the page where it ends. */
export const signedInAt = async (visitor: HttpClient, id: number): Promise<string> =>
  followCallback(visitor, await authorizationResult(await addressOf(visitor, id)));

/** Adds a server that requires a sign-in, signs in, and waits until its tools are known. */
export async function signedInServer(
  visitor: HttpClient,
  url: string,
  more: Record<string, unknown> = {},
): Promise<number> {
  const { body } = await visitor.post(path, { name: 'Notes', url, auth: { type: 'oauth' }, ...more });
  await signedInAt(visitor, body.id);
  await until('The look after the sign-in', async () => {
    const { body: servers } = await visitor.get(path);
    return servers.find(({ id }: { id: number }) => id === body.id)?.state === 'ready';
  });
  return body.id;
}
