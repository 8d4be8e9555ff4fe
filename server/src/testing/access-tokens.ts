import type { HttpClient } from './http-client.ts';
import { bareRequest } from './test-environment.ts';

type Draft = { name?: string; rights?: string[]; expiresInDays?: number | null; monthlyBudgetUsd?: number | null };

export const tokensPath = '/api/access-tokens';

/** Creates a token, with all permissions unless some are named. */
export async function newToken(visitor: HttpClient, draft: Draft = {}): Promise<{ id: number; token: string }> {
  const { status, body } = await visitor.post(tokensPath, {
    name: 'Script',
    rights: ['chat', 'assistants', 'files'],
    expiresInDays: null,
    ...draft,
  });
  if (status !== 201) throw new Error(`No access token: ${JSON.stringify(body)}`);
  return body;
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A client's call. */
export function callApi(
  app: { url: string },
  token: string,
  path: string,
  {
    method = 'GET',
    body,
    headers,
  }: { method?: 'GET' | 'POST' | 'DELETE'; body?: unknown; headers?: Record<string, string> } = {},
) {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  return bareRequest(app, method, path, { ...bearer(token), ...json, ...headers }, text);
}
