import { request } from 'undici';

/** For the variable SCIM_TOKEN. */
export const scimToken = 'scim-token-that-only-the-directory-has-0123456789';

type Answer = {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever was answered; types would only repeat it
  body: any;
  headers: Record<string, string | string[] | undefined>;
};

/** A directory that provisions accounts, as the server sees one. `token`: null sends none. */
export function scimClient(app: { url: string }, token: string | null = scimToken) {
  async function sendRequest(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await request(`${app.url}/scim/v2${path}`, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/scim+json; charset=utf-8' }),
        ...headers,
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.body.text();
    const answer: Answer = {
      status: response.statusCode,
      body: text === '' ? undefined : JSON.parse(text),
      headers: response.headers,
    };
    return answer;
  }
  const filtered = (kind: 'Users' | 'Groups', filter: string, more = '') =>
    sendRequest('GET', `/${kind}?filter=${encodeURIComponent(filter)}${more}`);
  return {
    send: sendRequest,
    filtered,
    get: (path: string) => sendRequest('GET', path),
    post: (path: string, body: unknown) => sendRequest('POST', path, body),
    put: (path: string, body: unknown) => sendRequest('PUT', path, body),
    delete: (path: string) => sendRequest('DELETE', path),
    /** The operations as they are written. */
    patch: (path: string, ...Operations: unknown[]) =>
      sendRequest('PATCH', path, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations }),
  };
}

export type ScimClient = ReturnType<typeof scimClient>;

/** A user as Entra ID sends one. */
export const entraUser = (name: string, more: Record<string, unknown> = {}) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
  externalId: `entra-${name}`,
  userName: `${name}@example.com`,
  active: true,
  emails: [{ primary: true, type: 'work', value: `${name}@example.com` }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Grace Hopper', familyName: 'Hopper', givenName: 'Grace' },
  roles: [],
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Navy' },
  ...more,
});

/** A user as Okta sends one. */
export const oktaUser = (name: string, more: Record<string, unknown> = {}) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: `${name}@example.com`,
  name: { givenName: 'Test', familyName: 'User' },
  emails: [{ primary: true, value: `${name}@example.com`, type: 'work' }],
  displayName: 'Test User',
  locale: 'en-US',
  externalId: `00u-${name}`,
  groups: [],
  password: '1mz050nq',
  active: true,
  ...more,
});
