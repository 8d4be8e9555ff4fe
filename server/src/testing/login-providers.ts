import type { LoginProvider } from '@roster/contracts/auth';
import { request } from 'undici';
import type { HttpClient } from './http-client.ts';

type Steps = {
  /** `?redirect=` at the start. */
  redirect?: string;
  /** Changes the URL that the provider sends the browser back to. */
  meddle?: (callback: URL) => void;
};

const locationOf = ({ headers }: { headers: Record<string, string | string[] | undefined> }) =>
  String(headers.location ?? '');

/** Submits as the button on the page does. */
export const submitStart = (visitor: HttpClient, path: string, headers: Record<string, string> = {}) =>
  visitor.post(path, '', { headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } });

/** The target of a start: the provider by a page, or elsewhere by a redirect. */
export function startOf(answer: Awaited<ReturnType<typeof submitStart>>): string {
  if (answer.status === 303) return locationOf(answer);
  const [, address] = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(String(answer.body)) ?? [];
  if (answer.status !== 200 || address === undefined)
    throw new Error(`the start answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return address.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

/** Starts a sign-in, and returns the URL at the provider, or wherever else the browser is sent. */
export async function begin(visitor: HttpClient, provider: LoginProvider, redirect?: string): Promise<string> {
  const query = redirect === undefined ? '' : `?${new URLSearchParams({ redirect })}`;
  return startOf(await submitStart(visitor, `/auth/${provider}${query}`));
}

/** Visits the provider and returns the URL that it sends the browser back to. */
export async function atProvider(address: string): Promise<URL> {
  const answer = await request(address);
  await answer.body.dump();
  return new URL(locationOf(answer));
}

/** Returns from the provider as a browser does: by a navigation that another site started. */
export async function returnFromProvider(visitor: HttpClient, { pathname, search }: URL): Promise<string> {
  const answer = await visitor.get(`${pathname}${search}`, { headers: { 'sec-fetch-site': 'cross-site' } });
  if (answer.status !== 302) throw new Error(`the callback answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return locationOf(answer);
}

/** The whole sign-in, following each redirect. Returns the final URL. */
export async function signInThrough(visitor: HttpClient, provider: LoginProvider, steps: Steps = {}): Promise<string> {
  const callback = await atProvider(await begin(visitor, provider, steps.redirect));
  steps.meddle?.(callback);
  return returnFromProvider(visitor, callback);
}
