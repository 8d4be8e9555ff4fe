import { providerNameIn } from '@roster/contracts/provider-name';
import { z } from 'zod';
import type { KeyCheck } from '#server/provider/key-check';
import { ProviderError } from '#server/provider/transport/error';
import { listLimit, type ProviderHttp } from '#server/provider/transport/http';
import { interactiveMs } from '#server/provider/transport/timeouts';
import type { Secret } from '#server/security/secret';

/** The organization's usage of a model; null: the provider names none. */
export type ModelUsage = {
  model: string | null;
  requests: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
};

/** Inclusive UTC days, YYYY-MM-DD. */
export type UtcDays = { from: string; to: string };

/** The provider's figures for a whole organization; they require an admin key. */
export type ProviderOrganization = {
  checkAdminKey: (adminKey: Secret) => Promise<KeyCheck | { result: 'not_served'; notice: string }>;
  /** @throws ProviderError */
  usage: (adminKey: Secret, days: UtcDays) => Promise<ModelUsage[]>;
  /** USD by day; days without costs may be missing. @throws ProviderError */
  costs: (adminKey: Secret, days: UtcDays) => Promise<Map<string, number>>;
};

/** For all pages of one list, including retries. */
const readingMs = 45_000;
const maxPages = 20;
const daySeconds = 86_400;
const longestPage = { '/organization/usage/completions': 31, '/organization/costs': 180 } as const;

const Count = z.number().int().min(0).catch(0);
const UsageResult = z.object({
  model: z.string().min(1).max(200).nullish().catch(null),
  num_model_requests: z.number().int().min(0),
  input_tokens: z.number().int().min(0),
  input_cached_tokens: Count,
  output_tokens: z.number().int().min(0),
});
const CostResult = z.object({
  amount: z.object({
    // Documented as a number, seen as a string.
    value: z.union([
      z.number(),
      z
        .string()
        .regex(/^-?\d{1,15}(\.\d{1,40})?(e-?\d{1,3})?$/i)
        .transform(Number),
    ]),
    currency: z.string().refine((currency) => currency.toLowerCase() === 'usd'),
  }),
});
const pageOf = <Result extends z.ZodType>(result: Result) =>
  z.object({
    data: z.array(z.object({ start_time: z.number().int().min(0).max(99_999_999_999), results: z.array(result) })),
    has_more: z.boolean().catch(false),
    next_page: z.string().min(1).max(1_000).nullish().catch(null),
  });

const seconds = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1_000;
const dayOf = (start: number) => new Date(start * 1_000).toISOString().slice(0, 10);

export function providerOrganization(http: ProviderHttp, providerName: string): ProviderOrganization {
  /** All pages of a list, up to a limit for lists that never end. */
  async function* pages<Result extends z.ZodType>(adminKey: Secret, list: string, query: string, result: Result) {
    const Page = pageOf(result);
    const signal = AbortSignal.timeout(readingMs);
    let next = '';
    for (let number = 0; number < maxPages; number++) {
      const path = `${list}?${query}${next && `&page=${encodeURIComponent(next)}`}`;
      const answer = await inTime(http.json({ method: 'GET', path, apiKey: adminKey, limit: listLimit, signal }));
      const page = Page.safeParse(answer);
      if (!page.success) throw unreadable(page.error);
      yield* page.data.data;
      if (!page.data.has_more || !page.data.next_page) return;
      next = page.data.next_page;
    }
    throw unreadable(new Error(`more than ${maxPages} pages`));
  }

  /** The results of each day. */
  async function daily<Result extends z.ZodType>(
    adminKey: Secret,
    list: keyof typeof longestPage,
    { from, to }: UtcDays,
    result: Result,
    grouping = '',
  ): Promise<{ day: string; results: z.output<Result>[] }[]> {
    const [start, end, now] = [seconds(from), seconds(to) + daySeconds, Date.now() / 1_000];
    if (start >= now) return [];
    const limit = Math.min(longestPage[list], (end - start) / daySeconds);
    const query = `start_time=${start}${end < now ? `&end_time=${end}` : ''}&bucket_width=1d&limit=${limit}${grouping}`;
    const found: { day: string; results: z.output<Result>[] }[] = [];
    for await (const { start_time, results } of pages(adminKey, list, query, result))
      if (start_time >= start && start_time < end) found.push({ day: dayOf(start_time), results });
    return found;
  }

  async function checkAdminKey(adminKey: Secret): ReturnType<ProviderOrganization['checkAdminKey']> {
    const start = Math.floor(Date.now() / 1_000 / daySeconds) * daySeconds;
    const path = `/organization/costs?start_time=${start}&limit=1`;
    const signal = AbortSignal.timeout(interactiveMs);
    try {
      await inTime(http.json({ method: 'GET', path, apiKey: adminKey, retries: 0, limit: listLimit, signal }));
      return { result: 'works' };
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      switch (error.code) {
        case 'key_rejected':
          return { result: 'rejected', notice: error.message };
        case 'missing_scope':
          return {
            result: 'rejected',
            notice: `${error.message} The key for chatting belongs in Settings, under API Keys; an admin key is made in the organization settings of ${providerName}.`,
          };
        case 'rate_limited':
        case 'insufficient_quota':
        case 'region':
          return { result: 'limited', notice: error.message };
        case 'not_served':
          return {
            result: 'not_served',
            notice: `${providerNameIn('beginning', providerName)} has no usage API at this base URL, so an admin key would be of no use here. The key was not saved.`,
          };
        default:
          return { result: 'unreachable', notice: `${error.message} The key is saved but not verified.` };
      }
    }
  }

  return {
    checkAdminKey,
    async usage(adminKey, days) {
      const grouping = `&${encodeURIComponent('group_by[]')}=model`;
      const found = await daily(adminKey, '/organization/usage/completions', days, UsageResult, grouping);
      const byModel = new Map<string | null, ModelUsage>();
      for (const result of found.flatMap(({ results }) => results)) {
        const model = result.model ?? null;
        const before = byModel.get(model);
        byModel.set(model, {
          model,
          requests: (before?.requests ?? 0) + result.num_model_requests,
          inputTokens: (before?.inputTokens ?? 0) + result.input_tokens,
          cachedTokens: (before?.cachedTokens ?? 0) + result.input_cached_tokens,
          outputTokens: (before?.outputTokens ?? 0) + result.output_tokens,
        });
      }
      return [...byModel.values()];
    },
    async costs(adminKey, days) {
      const byDay = new Map<string, number>();
      for (const { day, results } of await daily(adminKey, '/organization/costs', days, CostResult))
        byDay.set(
          day,
          results.reduce((sum, { amount }) => sum + amount.value, byDay.get(day) ?? 0),
        );
      return byDay;
    },
  };
}

const unreadable = (cause: unknown) =>
  new ProviderError('provider_unavailable', 'The provider’s own figures could not be read.', { cause });

/** Replaces a timeout by our own error. */
function inTime<T>(call: Promise<T>): Promise<T> {
  return call.catch((cause: unknown) => {
    if (!(cause instanceof DOMException && cause.name === 'TimeoutError')) throw cause;
    throw new ProviderError('provider_timeout', 'The provider did not answer in time.', { cause });
  });
}
