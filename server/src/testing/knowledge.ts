import type { AssistantFile } from '@roster/contracts/assistants/assistants';
import { request } from 'undici';
import type { TestApp } from './app.ts';
import { until } from './chat.ts';
import { withDatabase } from './database.ts';
import type { HttpClient } from './http-client.ts';

type Installation = Pick<TestApp, 'provider' | 'dataDir' | 'databaseUrl'>;

async function listed({ provider }: Pick<TestApp, 'provider'>, key: string, path: string) {
  const answer = await request(`${provider.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  const { data } = JSON.parse(await answer.body.text());
  return data;
}

/** The vector stores of a key at the provider. */
export const storesOf = (app: Pick<TestApp, 'provider'>, key: string): Promise<{ id: string }[]> =>
  listed(app, key, '/vector_stores?limit=100');

export const filesIn = (app: Pick<TestApp, 'provider'>, key: string, storeId: string): Promise<{ id: string }[]> =>
  listed(app, key, `/vector_stores/${storeId}/files?limit=100`);

export async function stateOf(visitor: HttpClient, assistantId: number): Promise<AssistantFile[]> {
  return (await visitor.get(`/api/assistants/${assistantId}/files`)).body;
}

/**
 * Makes later work due now, and resets attempts: in such quick succession a day's worth would be used up in seconds.
 */
export const makeDue = (app: Pick<TestApp, 'dataDir' | 'databaseUrl'>) =>
  withDatabase(app, (db) =>
    db
      .updateTable('jobs')
      .set({ run_at: new Date(0).toISOString(), attempts: 0 })
      .where('claimed_until', 'is', null)
      .where('given_up_at', 'is', null)
      .execute(),
  );

/** Waits until the files of an assistant have these states. */
export const untilKnown = (app: Installation, visitor: HttpClient, assistantId: number, states: string[]) =>
  until(`The states ${states.join(', ')}`, async () => {
    await makeDue(app);
    const files = await stateOf(visitor, assistantId);
    return JSON.stringify(files.map(({ state }) => state)) === JSON.stringify(states);
  });

/** Advances the simulator's clock. */
export async function advanceClock({ provider }: Pick<TestApp, 'provider'>, advanceMs: number) {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ advanceMs });
  await (await request(`${provider.origin}/__simulator/clock`, { method: 'POST', headers, body })).body.dump();
}

/** The same after the time that the provider takes to index. */
export async function untilIndexed(app: Installation, visitor: HttpClient, assistantId: number, states: string[]) {
  await until(`The states ${states.join(', ')}`, async () => {
    await advanceClock(app, 10_000);
    await makeDue(app);
    const files = await stateOf(visitor, assistantId);
    return JSON.stringify(files.map(({ state }) => state)) === JSON.stringify(states);
  });
}
