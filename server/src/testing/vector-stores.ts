import OpenAI from 'openai';
import { request } from 'undici';
import { newToken } from './access-tokens.ts';
import type { TestApp } from './app.ts';
import { hurry } from './knowledge.ts';
import type { Visitor } from './visitor.ts';

type Installation = Pick<TestApp, 'provider' | 'dataDir' | 'databaseUrl'>;

/** A program that may use files, through the official client. */
export async function fileProgram(app: { url: string }, visitor: Visitor) {
  const { token } = await newToken(visitor, { rights: ['files'] });
  return { token, client: new OpenAI({ baseURL: `${app.url}/v1`, apiKey: token, maxRetries: 0 }) };
}

/** While `work` goes on, the provider’s time passes, and what is due later is due now. */
export async function whileIndexing<Result>(app: Installation, work: Promise<Result>): Promise<Result> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  // Its failure is the caller's, below.
  ended.catch(() => undefined);
  const headers = { 'content-type': 'application/json' };
  const advance = { method: 'POST', headers, body: JSON.stringify({ advanceMs: 10_000 }) } as const;
  while (!isDone) {
    await (await request(`${app.provider.origin}/__simulator/clock`, advance)).body.dump();
    await hurry(app);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return ended;
}

/** A request of the provider itself, past Roster. */
export async function atProvider(
  app: Pick<TestApp, 'provider'>,
  key: string,
  path: string,
  method: 'GET' | 'DELETE' = 'GET',
) {
  const answer = await request(`${app.provider.url}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  const body = await answer.body.text();
  return { status: answer.statusCode, body: JSON.parse(body) };
}
