import { Id } from '@roster/contracts/endpoint';
import { type Analytics, type usage as api, BilledTool, type Figures } from '@roster/contracts/usage';
import { z } from 'zod';
import { cursorsOf, pageOf } from '#server/http/paging';
import type { Catalogue } from '#server/provider/catalogue';
import type { AnalyticsRepository } from './analytics-repository.ts';
import { type DaySpan, daysIn, nextDay } from './days.ts';
import { costAlone, noUsage, plus, type Sums, toFigures, toolOf } from './sums.ts';

const recentAtMost = 10;

const cursors = cursorsOf(z.tuple([z.iso.datetime({ precision: 3 }), Id]));

const tokens = (sums: Sums) => sums.inputTokens + sums.outputTokens;
/** Where the cost is equal, or unknown, by tokens. */
const byCost = (a: Sums, b: Sums) => b.costUsd - a.costUsd || tokens(b) - tokens(a);

/** Adds up rows with the same key, the most expensive first. */
function grouped<Row extends Sums, Key>(rows: Row[], keyOf: (row: Row) => Key): [Key, Sums][] {
  const groups = new Map<Key, Sums>();
  for (const row of rows) groups.set(keyOf(row), plus(groups.get(keyOf(row)) ?? noUsage, row));
  return [...groups].sort(([, a], [, b]) => byCost(a, b));
}

type ToolFigures = Analytics['byTool'][number];

/** Where no call has a price, nothing is said of the cost. */
function toolFigures(tool: BilledTool, sums: Sums, price: ReturnType<Catalogue['toolPrice']>): ToolFigures {
  const { requests: calls, costUsd, unpricedRequests: unpricedCalls } = sums;
  const known = price && {
    usdPerThousandCalls: price.usdPerThousandCalls,
    asOf: price.asOf,
    source: price.source,
  };
  return { tool, calls, costUsd: unpricedCalls === calls ? null : costUsd, unpricedCalls, price: known };
}

/** The sums of models and those of tools. `ofBoth`: all of them, of tools only what they cost. */
function apart<Row extends Sums & { model: string }>(rows: Row[], { toolPrice }: Pick<Catalogue, 'toolPrice'>) {
  const ofTools = Map.groupBy(rows, ({ model }) => toolOf(model));
  return {
    ofModels: ofTools.get(null) ?? [],
    ofBoth: rows.map((row) => (toolOf(row.model) ? { ...row, ...costAlone(row) } : row)),
    byTool: BilledTool.options.flatMap((tool) => {
      const own = ofTools.get(tool);
      return own ? [toolFigures(tool, own.reduce(plus, noUsage), toolPrice(tool))] : [];
    }),
  };
}

/** `analytics` asks on the reader: a year of sums takes longer than a stream may wait. */
export function analyticsService(
  analytics: AnalyticsRepository,
  catalogue: Pick<Catalogue, 'toolPrice' | 'storagePrice'>,
) {
  const spanOf = (days: DaySpan[]) => {
    const first = days[0];
    const last = days.at(-1);
    if (!first || !last) throw new Error('a range without days');
    return { from: first.from, to: last.to };
  };

  return {
    async overview(userId: number, { from, to, tz }: z.output<typeof api.analytics.query>): Promise<Analytics> {
      const days = daysIn(tz, from, to);
      const earlier = { from: nextDay(from, -days.length), to: nextDay(from, -1) };
      const before = daysIn(tz, earlier.from, earlier.to);
      const span = spanOf(days);
      const [byDay, previous, groups, byToken, recent] = await Promise.all([
        analytics.byDay(userId, days),
        analytics.total(userId, spanOf(before)),
        analytics.byModelAndAssistant(userId, span),
        analytics.byAccessToken(userId, span),
        analytics.requests(userId, span, {}, recentAtMost),
      ]);
      const assistantIds = [...new Set(groups.map(({ assistantId }) => assistantId))].filter((id) => id !== 0);
      const names = await analytics.assistantNames(userId, assistantIds);
      const { ofModels, ofBoth, byTool } = apart(groups, catalogue);
      const byModel = grouped(ofModels, ({ model }) => model);
      const byAssistant = grouped(ofBoth, ({ assistantId }) => assistantId);
      return {
        totals: toFigures([...byDay.values()].reduce(plus, noUsage)),
        previous: { ...toFigures(previous), ...earlier },
        byDay: days.map(({ day }): Figures & { day: string } => ({ day, ...toFigures(byDay.get(day) ?? noUsage) })),
        byModel: byModel.map(([model, sums]) => ({ model, ...toFigures(sums) })),
        byAssistant: byAssistant.map(([id, sums]) => ({
          assistant: id === 0 ? null : { id, name: names.get(id) ?? null },
          ...toFigures(sums),
        })),
        byTool,
        storage: catalogue.storagePrice,
        byAccessToken: byToken
          .sort((a, b) => byCost(a.sums, b.sums))
          .map(({ accessToken, sums }) => ({ accessToken, ...toFigures(sums) })),
        recent,
      };
    },

    async requests(userId: number, query: z.output<typeof api.requests.query>) {
      const { from, to, tz, model, assistantId, accessTokenId, limit, cursor } = query;
      const span = spanOf(daysIn(tz, from, to));
      const [at, id] = cursor ? cursors.decode(cursor) : [];
      const after = at === undefined || id === undefined ? undefined : { at, id };
      const filter = { model, accessTokenId, assistantId: assistantId === 'none' ? null : assistantId };
      const found = await analytics.requests(userId, span, filter, limit + 1, after);
      return pageOf(found, limit, (last) => cursors.encode([last.at, last.id]));
    },
  };
}

export type AnalyticsService = ReturnType<typeof analyticsService>;
