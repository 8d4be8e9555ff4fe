import type { ProviderFigures } from '@roster/contracts/usage/usage';
import { throwProviderFailure } from '#server/http/provider-failure';
import type { ModelUsage, ProviderOrganization, UtcDays } from '#server/provider/resources/organization';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import type { AdminKeyService } from './admin-key.ts';
import { addSums, toFigures, toolOfSum, trainedModelOfSum, zeroSums } from './aggregate.ts';
import type { AnalyticsRepository } from './analytics-repository.ts';
import { daysIn } from './zone-days.ts';

const freshForMs = 5 * 60_000;
const rememberedReadings = 1_000;

type Part<T> = { value: T; failure: null } | { value: null; failure: ProviderError };
/** The provider’s figures for a range of days, as far as they could be read. */
type Reading = { usage: Part<ModelUsage[]>; costs: Part<Map<string, number>>; readAt: string };

type Dependencies = {
  organization: Pick<ProviderOrganization, 'usage' | 'costs'>;
  adminKeys: Pick<AdminKeyService, 'open' | 'note'>;
  /** Uses the read connection, like the other figures. */
  analytics: AnalyticsRepository;
};

async function part<T>(reading: Promise<T>): Promise<Part<T>> {
  try {
    return { value: await reading, failure: null };
  } catch (failure) {
    if (failure instanceof ProviderError) return { value: null, failure };
    throw failure;
  }
}

async function read(organization: Dependencies['organization'], adminKey: Secret, days: UtcDays): Promise<Reading> {
  const [usage, costs] = await Promise.all([
    part(organization.usage(adminKey, days)),
    part(organization.costs(adminKey, days)),
  ]);
  return { usage, costs, readAt: new Date().toISOString() };
}

/** Caches the provider’s figures for five minutes, per key. */
function readings(organization: Dependencies['organization']) {
  const remembered = new Map<string, { sealed: string; reading: Promise<Reading>; until: number }>();
  return {
    /** Concurrent callers share one reading. A failed reading is not cached. */
    ask(userId: number, adminKey: Secret, sealed: string, days: UtcDays): Promise<Reading> {
      const name = `${userId} ${days.from} ${days.to}`;
      const cached = remembered.get(name);
      if (cached?.sealed === sealed && cached.until > performance.now()) return cached.reading;
      const [oldest] = remembered.keys();
      if (remembered.size >= rememberedReadings && oldest !== undefined) remembered.delete(oldest);
      const reading = read(organization, adminKey, days);
      const entry = { sealed, reading, until: performance.now() + freshForMs };
      remembered.delete(name);
      remembered.set(name, entry);
      const forget = () => {
        if (remembered.get(name) === entry) remembered.delete(name);
      };
      reading.then(({ usage, costs }) => {
        if ([usage, costs].some(({ failure }) => failure && failure.code !== 'not_served')) forget();
      }, forget);
      return reading;
    },
    forget(userId: number) {
      for (const name of remembered.keys()) if (name.startsWith(`${userId} `)) remembered.delete(name);
    },
  };
}

async function ownFigures(analytics: AnalyticsRepository, userId: number, { from, to }: UtcDays) {
  const days = daysIn('UTC', from, to);
  const span = { from: Date.parse(from), to: Date.parse(to) + 86_400_000 };
  const [byDay, groups] = await Promise.all([
    analytics.byDay(userId, days),
    analytics.byModelAndAssistant(userId, span),
  ]);
  const requestsByModel = new Map<string, number>();
  for (const { model, requests } of groups.filter(
    (row) => toolOfSum(row.model) === null && trainedModelOfSum(row.model) === null,
  ))
    requestsByModel.set(model, (requestsByModel.get(model) ?? 0) + requests);
  const { requests, inputTokens, cachedTokens, outputTokens, costUsd, unpricedRequests } = toFigures(
    [...byDay.values()].reduce(addSums, zeroSums),
  );
  return {
    sum: { requests, inputTokens, cachedTokens, outputTokens, costUsd, unpricedRequests },
    costByDay: days.map(({ day }) => ({ day, rosterUsd: toFigures(byDay.get(day) ?? zeroSums).costUsd })),
    requestsByModel,
  };
}

/**
 * Stores with the key how it worked.
 * @throws if there is nothing to show
 */
async function checkFailures(adminKeys: Dependencies['adminKeys'], userId: number, sealed: string, reading: Reading) {
  const failures = [reading.usage.failure, reading.costs.failure].filter((failure) => failure !== null);
  const aboutTheKey = failures.find(({ code }) => code === 'key_rejected');
  const [failure] = failures;
  // One half is worth showing without the other. A provider that serves neither gets a single notice.
  const isHopeless = failures.length === 2 && failures.some(({ code }) => code !== 'not_served');
  if (aboutTheKey || (isHopeless && failure?.code === 'missing_scope'))
    await adminKeys.note(userId, sealed, (aboutTheKey ?? failure)?.message ?? null);
  else if (failures.length === 0) await adminKeys.note(userId, sealed, null);
  if (aboutTheKey) throwProviderFailure(aboutTheKey);
  if (isHopeless) throwProviderFailure(failure);
}

/** The provider’s own figures compared with Roster’s. */
export function providerFigureService({ organization, adminKeys, analytics }: Dependencies) {
  const kept = readings(organization);
  return {
    async read(userId: number, days: UtcDays): Promise<ProviderFigures> {
      const { adminKey, sealed } = await adminKeys.open(userId);
      const [reading, roster] = await Promise.all([
        kept.ask(userId, adminKey, sealed, days),
        ownFigures(analytics, userId, days),
      ]);
      await checkFailures(adminKeys, userId, sealed, reading);
      const { usage, costs, readAt } = reading;
      return {
        ...days,
        provider: providerSum(usage.value, costs.value),
        roster: roster.sum,
        byDay: roster.costByDay.map(({ day, rosterUsd }) => ({
          day,
          providerUsd: costs.value ? (costs.value.get(day) ?? 0) : null,
          rosterUsd,
        })),
        byModel: compared(usage.value, roster.requestsByModel),
        notice: noticeOf(usage.failure, costs.failure),
        readAt,
      };
    },
    /** Call it after the key has changed. */
    forget: kept.forget,
  };
}

export type ProviderFigureService = ReturnType<typeof providerFigureService>;

function providerSum(usage: ModelUsage[] | null, costs: Map<string, number> | null): ProviderFigures['provider'] {
  const sum = (of: (usage: ModelUsage) => number) =>
    usage === null ? null : usage.reduce((total, each) => total + of(each), 0);
  return {
    requests: sum(({ requests }) => requests),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    costUsd: costs && [...costs.values()].reduce((total, value) => total + value, 0),
  };
}

/** Requests by model, most used first. */
function compared(usage: ModelUsage[] | null, ours: Map<string, number>): ProviderFigures['byModel'] {
  /** The provider bills requests for a family (gpt-4o) under its snapshot (gpt-4o-2024-08-06). */
  const nameOf = (model: string) => {
    const short = model.replace(/-\d{4}-\d\d-\d\d$/, '');
    return ours.has(short) ? short : model;
  };
  const rows = new Map<string, { providerRequests: number; rosterRequests: number }>();
  const add = (model: string, providerRequests: number, rosterRequests: number) => {
    const before = rows.get(nameOf(model));
    rows.set(nameOf(model), {
      providerRequests: (before?.providerRequests ?? 0) + providerRequests,
      rosterRequests: (before?.rosterRequests ?? 0) + rosterRequests,
    });
  };
  for (const [model, requests] of ours) add(model, 0, requests);
  for (const { model, requests } of usage ?? []) add(model ?? 'unknown', requests, 0);
  const most = (row: { providerRequests: number; rosterRequests: number }) =>
    Math.max(row.providerRequests, row.rosterRequests);
  return [...rows]
    .sort(([, a], [, b]) => most(b) - most(a))
    .map(([model, row]) => ({ model, ...row, ...(usage === null && { providerRequests: null }) }));
}

function noticeOf(usage: ProviderError | null, costs: ProviderError | null): string | null {
  if (usage && costs) return 'The provider has no usage API at this base URL, so there is nothing to compare with.';
  if (usage) return `The provider’s requests and tokens could not be read. ${usage.message}`;
  return costs && `The provider’s costs could not be read. ${costs.message}`;
}
