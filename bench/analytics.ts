import { join } from 'node:path';
import { analyticsService } from '../server/src/features/usage/analytics.ts';
import { analyticsRepository } from '../server/src/features/usage/analytics-repository.ts';
import { priceRepository } from '../server/src/features/usage/price-repository.ts';
import { loadCatalogue } from '../server/src/provider/catalogue/catalogue.ts';
import { sqliteFloor } from './captured-queries.ts';
import { askAll, type Question } from './questions.ts';
import { signIn, startRoster } from './roster.ts';
import { startSource } from './source-process.ts';
import { email, lastDay, usageFolder } from './usage-data.ts';

const ranges = [
  ['30 days, UTC', { from: '2026-10-22', to: lastDay, tz: 'UTC' }],
  ['90 days, Berlin', { from: '2026-08-23', to: lastDay, tz: 'Europe/Berlin' }],
  ['365 days, Kathmandu', { from: '2025-11-21', to: lastDay, tz: 'Asia/Kathmandu' }],
] as const;

const catalogue = loadCatalogue();

/** Measures the Analytics page of a user with a million calls through HTTP, against its queries alone. */
export async function measureAnalytics(): Promise<{ faults: string[] }> {
  const source = await startSource();
  const { folder, userId } = await usageFolder(source.port);
  const floor = sqliteFloor(join(folder, 'roster.db'));
  const questions: Question[] = [];
  for (const [what, range] of ranges)
    questions.push({
      what,
      path: `/api/analytics?${new URLSearchParams(range)}`,
      queries: await floor.queriesOf((db) =>
        analyticsService(analyticsRepository(db), priceRepository(db), catalogue).overview(userId, range),
      ),
    });
  const [, , [, range]] = ranges;
  const query = { ...range, model: 'gpt-4o', assistantId: 5, limit: 50 };
  questions.push({
    what: 'calls of one model and assistant',
    path: `/api/analytics/requests?${new URLSearchParams({ ...range, model: 'gpt-4o', assistantId: '5' })}`,
    queries: await floor.queriesOf((db) =>
      analyticsService(analyticsRepository(db), priceRepository(db), catalogue).requests(userId, query),
    ),
  });
  const roster = await startRoster(folder, source.port);
  const place = { roster, headers: await signIn(roster.port, '/api/login', email) };
  await askAll('Analytics: 1,000,000 calls in a year', place, questions, floor);
  await roster.program.stop();
  await source.program.stop();
  return { faults: [] };
}
