import type { ExternalProvider } from '@roster/contracts/auth';
import { request } from 'undici';
import type { Visitor } from './visitor.ts';

type Steps = {
  /** `?redirect=` at the start. */
  redirect?: string;
  /** Changes the address that the provider sends the browser back to. */
  meddle?: (callback: URL) => void;
};

const locationOf = ({ headers }: { headers: Record<string, string | string[] | undefined> }) =>
  String(headers.location ?? '');

/** Begins, and returns the address at the provider, or wherever else the browser is sent. */
export async function begin(visitor: Visitor, provider: ExternalProvider, redirect?: string): Promise<string> {
  const query = redirect === undefined ? '' : `?${new URLSearchParams({ redirect })}`;
  const answer = await visitor.get(`/auth/${provider}${query}`);
  if (answer.status !== 302) throw new Error(`the start answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return locationOf(answer);
}

/** At the provider: returns the address that it sends the browser back to. */
export async function atProvider(address: string): Promise<URL> {
  const answer = await request(address);
  await answer.body.dump();
  return new URL(locationOf(answer));
}

/** Back from the provider, as a browser comes: by a navigation that another site began. */
export async function comeBack(visitor: Visitor, { pathname, search }: URL): Promise<string> {
  const answer = await visitor.get(`${pathname}${search}`, { headers: { 'sec-fetch-site': 'cross-site' } });
  if (answer.status !== 302) throw new Error(`the callback answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return locationOf(answer);
}

/** The whole way, following every redirect by hand. Returns where it ends. */
export async function goThrough(visitor: Visitor, provider: ExternalProvider, steps: Steps = {}): Promise<string> {
  const callback = await atProvider(await begin(visitor, provider, steps.redirect));
  steps.meddle?.(callback);
  return comeBack(visitor, callback);
}
