import { Id } from '@roster/contracts/endpoint';
import { type Analytics, type usage as api, BilledTool, type Figures } from '@roster/contracts/usage/usage';
import { z } from 'zod';
import { createCursors, toPage } from '#server/http/paging';
import { roundUsd } from '#server/lib/usd';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { addSums, costOnly, type Sums, toFigures, toolOfSum, trainedModelOfSum, zeroSums } from './aggregate.ts';
import type { AnalyticsRepository } from './analytics-repository.ts';
import type { PriceRepository } from './price-repository.ts';
import { type DaySpan, daysIn, nextDay } from './zone-days.ts';

const maxRecent = 10;

const cursors = createCursors(z.tuple([z.iso.datetime({ precision: 3 }), Id]));

const tokens = (sums: Sums) => sums.inputTokens + sums.outputTokens;
/** Ties, including unknown costs, are sorted by tokens. */
const byCost = (a: Sums, b: Sums) => b.costUsd - a.costUsd || tokens(b) - tokens(a);

/** Adds up rows with the same key, most expensive first. */
function grouped<Row extends Sums, Key>(rows: Row[], keyOf: (row: Row) => Key): [Key, Sums][] {
  const groups = new Map<Key, Sums>();
  for (const row of rows) groups.set(keyOf(row), addSums(groups.get(keyOf(row)) ?? zeroSums, row));
  return [...groups].sort(([, a], [, b]) => byCost(a, b));
}

type ToolFigures = Analytics['byTool'][number];

/** The cost is null if no call has a price. */
function toolFigures(tool: BilledTool, sums: Sums, price: ReturnType<Catalogue['toolPrice']>): ToolFigures {
  const { requests: calls, costUsd, unpricedRequests: unpricedCalls } = sums;
  const rates = price && {
    usdPerThousandCalls: price.usdPerThousandCalls,
    asOf: price.asOf,
    source: price.source,
  };
  return { tool, calls, costUsd: unpricedCalls === calls ? null : roundUsd(costUsd), unpricedCalls, price: rates };
}

/** Fine-tuning jobs by base model, most expensive first. */
const fineTuningFigures = (rows: (Sums & { model: string })[]): Analytics['fineTuning'] =>
  grouped(rows, ({ model }) => trainedModelOfSum(model) ?? model).map(
    ([model, { requests: jobs, inputTokens: trainedTokens, costUsd, unpricedRequests: unpricedJobs }]) => ({
      ...{ model, jobs, trainedTokens, unpricedJobs },
      costUsd: unpricedJobs === jobs ? null : roundUsd(costUsd),
    }),
  );

/**
 * Separates the sums of models, tools and fine-tuning jobs. `ofAnswers`: models and, by cost alone, the tools they
 * called.
 */
function apart<Row extends Sums & { model: string }>(rows: Row[], { toolPrice }: Pick<Catalogue, 'toolPrice'>) {
  const { jobs = [], answers = [] } = Object.groupBy(rows, ({ model }) =>
    trainedModelOfSum(model) === null ? 'answers' : 'jobs',
  );
  const ofTools = Map.groupBy(answers, ({ model }) => toolOfSum(model));
  return {
    ofModels: ofTools.get(null) ?? [],
    ofAnswers: answers.map((row) => (toolOfSum(row.model) ? { ...row, ...costOnly(row) } : row)),
    fineTuning: fineTuningFigures(jobs),
    byTool: BilledTool.options.flatMap((tool) => {
      const own = ofTools.get(tool);
      return own ? [toolFigures(tool, own.reduce(addSums, zeroSums), toolPrice(tool))] : [];
    }),
  };
}

/** The cost is null if nothing has a known price, including jobs. */
function totalsOf(byDay: Iterable<Sums>, jobs: Analytics['fineTuning']): Figures {
  const totals = toFigures([...byDay].reduce(addSums, zeroSums));
  const isUnknown = totals.costUsd === 0 && totals.requests === totals.unpricedRequests && jobs.some(isUnpriced);
  return isUnknown ? { ...totals, costUsd: null } : totals;
}
const isUnpriced = ({ costUsd }: { costUsd: number | null }) => costUsd === null;

function spanOf(days: DaySpan[]) {
  const first = days[0];
  const last = days.at(-1);
  if (!first || !last) throw new Error('The range contains no days');
  return { from: first.from, to: last.to };
}

/** Adds the names of assistants that still exist. */
async function named(
  analytics: Pick<AnalyticsRepository, 'assistantNames'>,
  userId: number,
  byAssistant: [id: number, Sums][],
): Promise<Analytics['byAssistant']> {
  const ids = byAssistant.map(([id]) => id).filter((id) => id !== 0);
  const names = await analytics.assistantNames(userId, ids);
  return byAssistant.map(([id, sums]) => ({
    assistant: id === 0 ? null : { id, name: names.get(id) ?? null },
    ...toFigures(sums),
  }));
}

const tokenFigures = (rows: Awaited<ReturnType<AnalyticsRepository['byAccessToken']>>) =>
  rows.sort((a, b) => byCost(a.sums, b.sums)).map(({ accessToken, sums }) => ({ accessToken, ...toFigures(sums) }));

async function byProject(
  analytics: Pick<AnalyticsRepository, 'byProject'>,
  userId: number,
  { from, to, tz }: z.output<typeof api.byProject.query>,
) {
  const rows = await analytics.byProject(userId, spanOf(daysIn(tz, from, to)));
  const items = rows
    .sort((a, b) => byCost(a.sums, b.sums))
    .map(({ project, sums }) => ({ project, ...toFigures(sums) }));
  return { items };
}

/** `analytics` and `prices` use the read connection: summing a year takes longer than a stream may wait. */
export function analyticsService(
  analytics: AnalyticsRepository,
  prices: Pick<PriceRepository, 'list'>,
  catalogue: Pick<Catalogue, 'toolPrice' | 'storagePrice' | 'familyOf'>,
) {
  return {
    async overview(userId: number, { from, to, tz }: z.output<typeof api.analytics.query>): Promise<Analytics> {
      const days = daysIn(tz, from, to);
      const earlier = { from: nextDay(from, -days.length), to: nextDay(from, -1) };
      const span = spanOf(days);
      const [byDay, previous, groups, byToken, recent, ownPrices] = await Promise.all([
        analytics.byDay(userId, days),
        analytics.total(userId, spanOf(daysIn(tz, earlier.from, earlier.to))),
        analytics.byModelAndAssistant(userId, span),
        analytics.byAccessToken(userId, span),
        analytics.requests(userId, span, {}, maxRecent),
        prices.list(userId),
      ]);
      const { ofModels, ofAnswers, byTool, fineTuning } = apart(groups, catalogue);
      const priced = new Set(ownPrices.map(({ model }) => model));
      const byAssistant = grouped(ofAnswers, ({ assistantId }) => assistantId);
      return {
        totals: totalsOf(byDay.values(), fineTuning),
        previous: { ...toFigures(previous), ...earlier },
        byDay: days.map(({ day }): Figures & { day: string } => ({ day, ...toFigures(byDay.get(day) ?? zeroSums) })),
        byModel: grouped(ofModels, ({ model }) => model).map(([model, sums]) => ({
          model,
          family: priced.has(model) ? null : catalogue.familyOf(model),
          ...toFigures(sums),
        })),
        byAssistant: await named(analytics, userId, byAssistant),
        byTool,
        fineTuning,
        storage: catalogue.storagePrice,
        byAccessToken: tokenFigures(byToken),
        recent,
      };
    },

    byAssistant: (userId: number) => analytics.byAssistant(userId, `${new Date().toISOString().slice(0, 7)}-01`),
    byProject: (userId: number, query: z.output<typeof api.byProject.query>) => byProject(analytics, userId, query),
    async requests(userId: number, query: z.output<typeof api.requests.query>) {
      const { from, to, tz, model, assistantId, accessTokenId, projectId, purpose, limit, cursor } = query;
      const span = spanOf(daysIn(tz, from, to));
      const [at, id] = cursor ? cursors.decode(cursor) : [];
      const after = at === undefined || id === undefined ? undefined : { at, id };
      const ofAssistant = assistantId === 'none' ? null : assistantId;
      const filter = { model, accessTokenId, projectId, purpose, assistantId: ofAssistant };
      const found = await analytics.requests(userId, span, filter, limit + 1, after);
      return toPage(found, limit, (last) => cursors.encode([last.at, last.id]));
    },
  };
}

export type AnalyticsService = ReturnType<typeof analyticsService>;
