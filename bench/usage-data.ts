// A data folder with 1,000,000 calls of one user in a year, with their sums, cached as in cached-folder.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../server/src/db/connect.ts';
import { usageRepository } from '../server/src/features/usage/repository.ts';
import { cachedFolder, registered } from './cached-folder.ts';

const calls = 1_000_000;
const perTransaction = 20_000;
const models = ['gpt-4o', 'gpt-6-luna', 'gpt-6-sol', 'gpt-5.6-sol', 'home-made'];
const assistants = 12;

export const email = 'usage@example.com';
const key = `sk-bench-usage-${'simulated'.repeat(3)}`;
/** The calls are spread evenly over the year that ends on this day. */
export const lastDay = '2026-11-20';
const firstMoment = Date.parse('2025-11-21T00:00:00Z');
const year = 365 * 24 * 60 * 60_000;

export async function usageFolder(providerPort: number): Promise<{ folder: string; userId: number }> {
  const folder = await cachedFolder('usage', ['usage-data.ts'], (half) => fill(half, providerPort));
  const { userId }: { userId: number } = JSON.parse(readFileSync(join(folder, 'usage.json'), 'utf8'));
  return { folder, userId };
}

async function fill(folder: string, providerPort: number) {
  console.log(`Filling a database with ${calls.toLocaleString('en')} calls (once; some minutes) …`);
  const userId = await registered(folder, providerPort, email, key);
  const database = openDatabase(undefined, folder);
  for (let first = 0; first < calls; first += perTransaction)
    await database.db.transaction().execute(async (trx) => {
      const usage = usageRepository(trx);
      for (let call = first; call < first + perTransaction; call++) await usage.record(userId, callNumber(call));
    });
  await database.close();
  writeFileSync(join(folder, 'usage.json'), JSON.stringify({ userId }));
}

function callNumber(number: number) {
  const model = models[(number * 7) % models.length] ?? '';
  const inputTokens = 200 + ((number * 31) % 4_000);
  return {
    runId: null,
    threadId: null,
    assistantId: (number % (assistants + 1)) + 1,
    purpose: 'chat' as const,
    model,
    inputTokens,
    cachedTokens: inputTokens >> 2,
    cacheWriteTokens: 0,
    outputTokens: 50 + ((number * 13) % 800),
    reasoningTokens: number % 60,
    costUsd: model === 'home-made' ? null : inputTokens / 1e6,
    priceAsOf: null,
    estimated: number % 50 === 0,
    createdAt: new Date(firstMoment + Math.floor((number * year) / calls)).toISOString(),
  };
}
