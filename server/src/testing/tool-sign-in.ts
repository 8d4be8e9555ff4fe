import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { HttpClient } from './http-client.ts';
import { listening, startToolServer } from './tool-peer.ts';
import { until } from './until.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
type Client = { secret: string | undefined; redirectUris: string[] };
type Asked = {
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

/** Changes what is answered; the parts that a test leaves alone are as the specifications have them. */
type Steering = {
  /** Lays over the description of itself. */
  describes: Record<string, unknown>;
  /** Of the tool server. */
  resourceSays: Record<string, unknown>;
  allows: boolean;
  /** Asks the person on a page. */
  asks: boolean;
  /** Seconds; undefined: it says nothing of it. */
  expiresIn: number | undefined;
  /** Each refresh token is good once, and the next one comes with the tokens. */
  rotates: boolean;
};

/**
 * Lets people in to one tool server, as OAuth 2.1 and the specification of MCP want it: registration, PKCE, codes that are good once,
 * refresh tokens that are replaced, an answer that says who gives it.
 *
 * Long: its five answers, each read alone.
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
  /** Takes the place of the usual answer at a path. */
  const instead = new Map<string, Handler>();
  const clients = new Map<string, Client>();
  const asked = new Map<string, Asked>();
  const codes = new Map<string, Asked>();
  const [accessTokens, refreshTokens] = [new Set<string>(), new Set<string>()];
  /** Whatever must be found nowhere else. */
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
    const one: Asked = {
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
    asked.set(id, one);
    if (!steering.asks)
      return decide(new URLSearchParams({ id, decision: steering.allows ? 'allow' : 'deny' }), response);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(
      `<!doctype html><html lang="en"><title>Let Roster in</title><h1>Let Roster in?</h1><form action="/decision">
<input type="hidden" name="id" value="${id}"><button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button></form></html>`,
    );
  }

  function decide(query: URLSearchParams, response: ServerResponse) {
    const one = asked.get(query.get('id') ?? '');
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

  /** Basic, as Roster was registered. */
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
    /** How often a path was asked for. */
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

/** A tool server that lets nobody in who has no token of the authorization server, and says where that is. */
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

/** Presses 'Sign In', and returns where the browser is sent. */
export async function addressOf(visitor: HttpClient, id: number): Promise<URL> {
  const { status, body } = await visitor.post(`${path}/${id}/sign-in`);
  if (status !== 200) throw new Error(`Not begun: ${JSON.stringify(body)}`);
  return new URL(body.address);
}

/** What the authorization server sends the browser back with. */
export async function decided(address: URL): Promise<URL> {
  const { headers } = await fetch(address, { redirect: 'manual' });
  return new URL(headers.get('location') ?? '');
}

/** Comes back; the address of the page where it ends. */
export async function cameBack(visitor: HttpClient, { pathname, search }: URL): Promise<string> {
  const { headers } = await visitor.get(`${pathname}${search}`);
  const { pathname: page, search: end } = new URL(String(headers.location));
  return `${page}${end}`;
}

/** All of it; the address of the page where it ends. */
export const signedInAt = async (visitor: HttpClient, id: number): Promise<string> =>
  cameBack(visitor, await decided(await addressOf(visitor, id)));

/** Adds a server that one signs in to, does that, and waits until its tools are known. */
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
