import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type GitHubPerson = {
  id: number;
  login: string;
  name: string | null;
  emails: { email: string; primary: boolean; verified: boolean }[];
};

type PendingSignIn = { redirectUri: string; state: string; challenge: string; person: GitHubPerson };
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const clientId = 'roster-at-github';
const clientSecret = 'github-secret-never-to-be-logged';

/** A user at GitHub with one address, primary and verified. */
export const atGitHub = (id: number, email: string, name: string | null = null): GitHubPerson => ({
  id,
  login: `person-${id}`,
  name,
  emails: [{ email, primary: true, verified: true }],
});

/**
 * A server with GitHub's sign-in addresses, checks and habits: it reports a wrong code with status 200, and rejects
 * calls without a user agent. With `asks` it shows a page to allow or cancel.
 */
export async function startGitHub({ asks = false }: { asks?: boolean } = {}) {
  const pending = new Map<string, PendingSignIn>();
  const codes = new Map<string, PendingSignIn>();
  const tokens = new Map<string, GitHubPerson>();
  /** Replaces the usual response at a path. */
  const instead = new Map<string, Handler>();
  const steering = { person: atGitHub(1, 'octo@example.com', 'Octo Cat'), allows: true };
  const issued: string[] = [];

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://github.invalid');
    const replaced = instead.get(url.pathname);
    if (replaced) return replaced(request, response);
    if (url.pathname === '/login/oauth/authorize') return authorize(url, response);
    if (url.pathname === '/login/oauth/decision') return decide(url, response);
    if (url.pathname === '/login/oauth/access_token' && request.method === 'POST')
      return void exchange(request).then((answer) => json(response, 200, answer));
    if (url.pathname === '/api/user') return api(request, response, ({ emails: _, ...profile }) => profile);
    if (url.pathname === '/api/user/emails') return api(request, response, ({ emails }) => emails);
    return json(response, 404, { message: 'Not Found' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: AddressInfo | { port: number } = Object(server.address());
  const url = `http://127.0.0.1:${port}`;

  function authorize({ searchParams }: URL, response: ServerResponse) {
    const parameter = (name: string) => searchParams.get(name) ?? '';
    if (parameter('client_id') !== clientId || parameter('code_challenge_method') !== 'S256')
      return json(response, 404, { message: 'Not Found' });
    const signIn: PendingSignIn = {
      redirectUri: parameter('redirect_uri'),
      state: parameter('state'),
      challenge: parameter('code_challenge'),
      person: steering.person,
    };
    if (!asks) return answer(signIn, steering.allows, response);
    const id = randomBytes(8).toString('hex');
    pending.set(id, signIn);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><html lang="en"><title>Authorize Roster</title><h1>Authorize Roster</h1>
<form action="/login/oauth/decision"><input type="hidden" name="id" value="${id}">
<button name="decision" value="allow">Allow</button> <button name="decision" value="cancel">Cancel</button></form></html>`,
    );
  }

  function decide({ searchParams }: URL, response: ServerResponse) {
    const id = searchParams.get('id') ?? '';
    const signIn = pending.get(id);
    pending.delete(id);
    if (!signIn) return json(response, 404, { message: 'Not Found' });
    return answer(signIn, searchParams.get('decision') === 'allow', response);
  }

  function answer(signIn: PendingSignIn, allows: boolean, response: ServerResponse) {
    const back = new URL(signIn.redirectUri);
    if (allows) {
      const code = randomBytes(10).toString('hex');
      codes.set(code, signIn);
      issued.push(code);
      back.searchParams.set('code', code);
    } else {
      back.searchParams.set('error', 'access_denied');
      back.searchParams.set('error_description', 'The user has denied your application access.');
    }
    back.searchParams.set('state', signIn.state);
    back.searchParams.set('iss', `${url}/login/oauth`);
    response.writeHead(302, { location: back.href }).end();
  }

  async function exchange(request: IncomingMessage) {
    let body = '';
    for await (const part of request) body += part;
    const form = new URLSearchParams(body);
    const code = form.get('code') ?? '';
    const signIn = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (form.get('client_id') !== clientId || form.get('client_secret') !== clientSecret)
      return { error: 'incorrect_client_credentials', error_description: 'The client_id and/or secret are incorrect.' };
    if (!signIn || signIn.challenge !== challenge)
      return { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' };
    if (signIn.redirectUri !== form.get('redirect_uri'))
      return { error: 'redirect_uri_mismatch', error_description: 'The redirect_uri is not the one of the request.' };
    const token = `gho_${randomBytes(18).toString('hex')}`;
    tokens.set(token, signIn.person);
    issued.push(token);
    return { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' };
  }

  function api(request: IncomingMessage, response: ServerResponse, part: (person: GitHubPerson) => unknown) {
    if (!request.headers['user-agent']) return json(response, 403, { message: 'User-Agent required' });
    const person = tokens.get(request.headers.authorization?.replace(/^Bearer /i, '') ?? '');
    return person ? json(response, 200, part(person)) : json(response, 401, { message: 'Bad credentials' });
  }

  return {
    url,
    /** The user who is signed in there, and whether they allow it. */
    steering,
    instead,
    /** Every code and token so far: none of them belongs in a log. */
    issued,
    env: {
      GITHUB_CLIENT_ID: clientId,
      GITHUB_CLIENT_SECRET: clientSecret,
      GITHUB_URL: url,
      GITHUB_API_URL: `${url}/api`,
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type GitHub = Awaited<ReturnType<typeof startGitHub>>;

function json(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}
