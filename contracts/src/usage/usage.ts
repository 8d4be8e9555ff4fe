import { z } from 'zod';
import { endpoint, Id, NoContent, PathId, positiveInteger, Time } from '../endpoint.ts';
import { ModelText, modelReferenceLimit } from '../model-text.ts';
import { Day, dayOf, daysBetween } from './day.ts';
import { TimeZone } from './time-zone.ts';

/** Usage and cost of calls. `costUsd` is null if none of them has a price; sums omit unpriced calls. */
export const Figures = z.object({
  requests: z.number().int(),
  inputTokens: z.number().int(),
  /** Included in `inputTokens`. */
  cachedTokens: z.number().int(),
  outputTokens: z.number().int(),
  /** Included in `outputTokens`. */
  reasoningTokens: z.number().int(),
  costUsd: z.number().nullable(),
  /** Calls without a known price. */
  unpricedRequests: z.number().int(),
  /** Calls whose tokens Roster counted itself because the provider’s usage did not arrive. */
  estimatedRequests: z.number().int(),
});
export type Figures = z.output<typeof Figures>;

/** Days of usage by which prices are compared, including today, in UTC. */
export const usageComparisonDays = 30;
/** The first of these days; the last is today. */
export const usageComparisonStart = (now: number) => dayOf(now - (usageComparisonDays - 1) * 24 * 60 * 60_000);
/** A user’s usage of a model in these days, and its cost with another model. */
export const UsageComparison = z.object({
  requests: z.number().int(),
  inputTokens: z.number().int(),
  cachedTokens: z.number().int(),
  outputTokens: z.number().int(),
  /** As recorded; null: a price is unknown. */
  costUsd: z.number().nullable(),
  /** The cost of the same tokens with the other model; null: no other model, or no known price. */
  costAfterUsd: z.number().nullable(),
});
export type UsageComparison = z.output<typeof UsageComparison>;

/** Built-in tools that the provider bills besides tokens, by its names. */
export const BilledTool = z.enum(['file_search', 'web_search', 'code_interpreter', 'image_generation']);
export type BilledTool = z.output<typeof BilledTool>;

const usagePurposes = [
  'chat',
  'tool_step',
  'continuation',
  'summary',
  'title',
  'comparison',
  'evaluation',
  'training',
] as const;
const UsagePurpose = z.enum(usagePurposes);

export const UsageRequest = z.object({
  id: Id,
  at: Time,
  model: z.string(),
  /**
   * `tool_step`: a request of an answer that called tools, except its last one. `continuation`: a request for the rest
   * of an answer that ended early. `title`: the suggestion of a title. `summary`: a summary of
   * earlier messages. `evaluation`: a judge of a comparison.
   * `training`: a fine-tuning job, with its trained tokens as input tokens.
   */
  purpose: UsagePurpose,
  assistant: z.object({ id: Id, name: z.string().nullable() }).nullable(),
  /** For an API call. */
  accessToken: z.object({ id: Id, name: z.string() }).nullable(),
  /** For a temporary conversation, which has no title here. */
  temporary: z.literal(true).optional(),
  /** The conversation, if it still exists. */
  thread: z.object({ id: Id, title: z.string() }).nullable(),
  /** The comparison or the fine-tuning job, if it still exists. */
  comparisonId: Id.nullable(),
  jobId: Id.nullable(),
  inputTokens: z.number().int(),
  cachedTokens: z.number().int(),
  outputTokens: z.number().int(),
  reasoningTokens: z.number().int(),
  costUsd: z.number().nullable(),
  /**
   * The service tier that answered, unless it was the standard one. Such tiers have their own price, or no known one.
   */
  serviceTier: z.string().nullable(),
  estimated: z.boolean(),
});
export type UsageRequest = z.output<typeof UsageRequest>;

/** The longest range of a query, in days. */
const maxRangeDays = 366;

/** Inclusive days in `tz`. */
const Range = z.strictObject({ from: Day, to: Day, tz: TimeZone.default('UTC') });

const isInOrder = (range: { from: string; to: string }) => daysBetween(range) >= 1;
const isShort = (range: { from: string; to: string }) => daysBetween(range) <= maxRangeDays;

const wrongOrder = { path: ['to'], message: 'The end date must not be before the start date' };
const tooLong = { path: ['from'], message: `The range can be at most ${maxRangeDays} days` };

export const Analytics = z.object({
  /** Requests and their tokens; the cost includes tools and fine-tuning jobs. */
  totals: Figures,
  /** The same number of days just before. */
  previous: Figures.extend({ from: z.string(), to: z.string() }),
  /** Every day of the range, including days without calls. */
  byDay: z.array(Figures.extend({ day: z.string() })),
  /** Most expensive first. */
  byModel: z.array(
    Figures.extend({
      model: z.string(),
      /** The model whose price is used, because this snapshot has none and the user has set none. */
      family: z.string().nullable(),
    }),
  ),
  byAssistant: z.array(
    Figures.extend({
      /** null: conversations without an assistant. `name`: null if the assistant was deleted. */
      assistant: z.object({ id: Id, name: z.string().nullable() }).nullable(),
    }),
  ),
  /**
   * Built-in tools. Their known cost is included in the totals and in their assistants’ figures. `calls` of code are
   * not what the provider bills, which is containers.
   */
  byTool: z.array(
    z.object({
      tool: BilledTool,
      calls: z.number().int(),
      /** null: none has a known price. */
      costUsd: z.number().nullable(),
      /** Calls without a known price. */
      unpricedCalls: z.number().int(),
      /** The current price; null: unknown. */
      price: z.object({ usdPerThousandCalls: z.number(), asOf: z.string(), source: z.string() }).nullable(),
    }),
  ),
  /** Succeeded fine-tuning jobs by base model. They are not requests; their cost is in the totals. */
  fineTuning: z.array(
    z.object({
      model: z.string(),
      jobs: z.number().int(),
      trainedTokens: z.number().int(),
      /** null: none has a known price. */
      costUsd: z.number().nullable(),
      unpricedJobs: z.number().int(),
    }),
  ),
  /** The provider’s price of storage in vector stores, which is in no sum here; null: unknown. */
  storage: z
    .object({ usdPerGigabyteDay: z.number(), freeGigabytes: z.number(), asOf: z.string(), source: z.string() })
    .nullable(),
  /** API calls only. A revoked token keeps its name. */
  byAccessToken: z.array(
    Figures.extend({ accessToken: z.object({ id: Id, name: z.string(), isRevoked: z.boolean() }) }),
  ),
  recent: z.array(UsageRequest),
});
export type Analytics = z.output<typeof Analytics>;

/** USD per 1,000,000 tokens. */
export const Amount = z.number().min(0, 'A price cannot be negative').max(1_000_000, 'This price is too high');

/** A user’s custom price for a model for which the catalogue has no price, or only its family’s. */
export const CustomPrice = z.object({
  model: z.string(),
  input: z.number(),
  cachedInput: z.number().nullable(),
  output: z.number(),
  setAt: Time,
});
export type CustomPrice = z.output<typeof CustomPrice>;

const BudgetState = z.object({
  id: Id,
  /** USD in a calendar month of `tz`. */
  amountUsd: z.number(),
  /** The share of the amount at which to warn, for example 0.5. */
  warnAt: z.number(),
  /** Over the amount, further calls are rejected unless the user overrides it. */
  hardStop: z.boolean(),
  tz: z.string(),
  /** Spent this month so far, as far as prices are known. */
  spentUsd: z.number(),
  state: z.enum(['within', 'warning', 'exceeded']),
});

export const Budget = BudgetState.extend({
  /** null: all calls of the user. */
  assistant: z.object({ id: Id, name: z.string() }).nullable(),
});
export type Budget = z.output<typeof Budget>;

/** For what is asked in the conversations that are in a project now. */
export const ProjectBudget = BudgetState.extend({ project: z.object({ id: Id, name: z.string() }) });
export type ProjectBudget = z.output<typeof ProjectBudget>;

const BudgetTerms = z.strictObject({
  amountUsd: z.number().min(0.01, 'Enter at least $0.01').max(1_000_000, 'This amount is too high'),
  warnAt: z.number().min(0.1, 'Enter 10 % or more').max(1, 'Enter 100 % or less').default(0.8),
  hardStop: z.boolean().default(false),
  tz: TimeZone.default('UTC'),
});
export const BudgetInput = BudgetTerms.extend({ assistantId: Id.nullable() });
export const ProjectBudgetInput = BudgetTerms.extend({ projectId: Id });

/** null: the provider’s usage could not be read. */
const ProviderSum = z.object({
  requests: z.number().int().nullable(),
  inputTokens: z.number().int().nullable(),
  cachedTokens: z.number().int().nullable(),
  outputTokens: z.number().int().nullable(),
  costUsd: z.number().nullable(),
});

/** `costUsd`: null if no price is known. */
const RosterSum = Figures.pick({
  requests: true,
  inputTokens: true,
  cachedTokens: true,
  outputTokens: true,
  costUsd: true,
  unpricedRequests: true,
});

/** The provider’s own figures compared with Roster’s, for UTC days, the only ones that the provider has. */
export const ProviderFigures = z.object({
  from: z.string(),
  to: z.string(),
  /** For the whole organization at the provider, not only for requests through Roster. */
  provider: ProviderSum,
  roster: RosterSum,
  byDay: z.array(z.object({ day: z.string(), providerUsd: z.number().nullable(), rosterUsd: z.number().nullable() })),
  byModel: z.array(
    z.object({ model: z.string(), providerRequests: z.number().int().nullable(), rosterRequests: z.number().int() }),
  ),
  /** Notice about what could not be read; null: everything was. */
  notice: z.string().nullable(),
  readAt: Time,
});
export type ProviderFigures = z.output<typeof ProviderFigures>;

export const AdminKeyState = z.object({
  hasAdminKey: z.boolean(),
  last4: z.string().nullable(),
  addedAt: Time.nullable(),
  /** The provider’s message about its last use; null: it works. */
  notice: z.string().nullable(),
});
export type AdminKeyState = z.output<typeof AdminKeyState>;

/** A key for an organization’s own figures. Nothing else accepts it, and Roster uses it for nothing else. */
export const AdminKey = z
  .string()
  .trim()
  .min(1, 'Admin key is required')
  .max(512, 'This is too long for a key')
  .regex(/^[\x21-\x7e]+$/, 'A key has no spaces or special characters');

export const usage = {
  adminKey: endpoint({
    method: 'GET',
    path: '/api/settings/admin-key',
    access: 'user',
    summary: 'Returns whether a key for the provider’s own figures is saved. Never returns the key.',
    output: AdminKeyState,
  }),
  saveAdminKey: endpoint({
    method: 'POST',
    path: '/api/settings/admin-key',
    access: 'user',
    rate: 'keyUse',
    summary: 'Tries and saves a key for the provider’s own figures.',
    body: z.strictObject({ adminKey: AdminKey }),
    output: AdminKeyState,
  }),
  removeAdminKey: endpoint({
    method: 'DELETE',
    path: '/api/settings/admin-key',
    access: 'user',
    summary: 'Removes the key for the provider’s own figures.',
    output: NoContent,
    status: 204,
  }),
  providerFigures: endpoint({
    method: 'GET',
    path: '/api/analytics/provider',
    access: 'user',
    rate: 'keyUse',
    summary: 'Compares the provider’s own figures with Roster’s for a range of UTC days.',
    query: z
      .strictObject({ from: Day, to: Day })
      .refine(isInOrder, wrongOrder)
      .refine((range) => daysBetween(range) <= 180, {
        path: ['from'],
        message: 'The provider answers for at most 180 days',
      }),
    output: ProviderFigures,
  }),
  analytics: endpoint({
    method: 'GET',
    path: '/api/analytics',
    access: 'user',
    summary:
      'Returns the tokens and cost of a range of days: in total, for the range before, and by day, model, assistant and access token.',
    query: Range.refine(isInOrder, wrongOrder).refine(isShort, tooLong),
    output: Analytics,
  }),
  assistants: endpoint({
    method: 'GET',
    path: '/api/analytics/assistants',
    access: 'user',
    summary: 'Returns when each assistant was last used, and its cost this month (UTC).',
    output: z.array(
      z.object({
        assistantId: Id,
        /** The sum of calls with a known price. */
        costUsd: z.number(),
        unpricedRequests: z.number().int(),
        /** YYYY-MM-DD in UTC. */
        lastUsedOn: z.string(),
      }),
    ),
  }),
  requests: endpoint({
    method: 'GET',
    path: '/api/analytics/requests',
    access: 'user',
    summary: 'Lists the calls of a range of days, newest first.',
    query: Range.extend({
      model: z.string().max(modelReferenceLimit).optional(),
      /** `none`: conversations without an assistant. */
      assistantId: z.union([z.literal('none'), PathId]).optional(),
      accessTokenId: PathId.optional(),
      /** Conversations that are in this project now. */
      projectId: PathId.optional(),
      /** Fine-tuning jobs instead of requests. */
      purpose: z.literal('training').optional(),
      limit: positiveInteger(200).default(50),
      cursor: z.string().max(200).optional(),
    })
      .refine(isInOrder, wrongOrder)
      .refine(isShort, tooLong),
    output: z.object({ items: z.array(UsageRequest), nextCursor: z.string().nullable() }),
  }),
  byProject: endpoint({
    method: 'GET',
    path: '/api/analytics/projects',
    access: 'user',
    summary: 'Returns the tokens and cost of each project in a range of days, most expensive first.',
    query: Range.refine(isInOrder, wrongOrder).refine(isShort, tooLong),
    output: z.object({
      /** By the project that a conversation is in now. Projects without calls are left out. */
      items: z.array(Figures.extend({ project: z.object({ id: Id, name: z.string() }) })),
    }),
  }),
  prices: endpoint({
    method: 'GET',
    path: '/api/analytics/prices',
    access: 'user',
    summary: 'Lists the custom prices, for models without a price in the catalogue.',
    output: z.array(CustomPrice),
  }),
  setPrice: endpoint({
    method: 'POST',
    path: '/api/analytics/prices',
    access: 'user',
    summary: 'Sets a custom price, also for earlier calls that have none.',
    body: z.strictObject({
      model: ModelText,
      input: Amount,
      cachedInput: Amount.nullable().default(null),
      output: Amount,
    }),
    output: CustomPrice.extend({ pricedRequests: z.number().int() }),
  }),
  removePrice: endpoint({
    method: 'DELETE',
    path: '/api/analytics/prices',
    access: 'user',
    summary: 'Removes a custom price. Calls that were priced with it keep their price.',
    body: z.strictObject({ model: ModelText }),
    output: NoContent,
    status: 204,
  }),
  budgets: endpoint({
    method: 'GET',
    path: '/api/analytics/budgets',
    access: 'user',
    summary: 'Lists the monthly budgets, with what is spent.',
    output: z.array(Budget),
  }),
  saveBudget: endpoint({
    method: 'POST',
    path: '/api/analytics/budgets',
    access: 'user',
    summary: 'Sets the budget of the account, or of one assistant; each has at most one.',
    body: BudgetInput,
    output: Budget,
  }),
  removeBudget: endpoint({
    method: 'DELETE',
    path: '/api/analytics/budgets/:id',
    access: 'user',
    summary: 'Removes a budget.',
    params: z.strictObject({ id: PathId }),
    output: NoContent,
    status: 204,
  }),
  projectBudgets: endpoint({
    method: 'GET',
    path: '/api/analytics/project-budgets',
    access: 'user',
    summary: 'Lists the monthly budgets of projects by name, with what is spent.',
    output: z.array(ProjectBudget),
  }),
  saveProjectBudget: endpoint({
    method: 'POST',
    path: '/api/analytics/project-budgets',
    access: 'user',
    summary: 'Sets the budget of a project, which has at most one.',
    body: ProjectBudgetInput,
    output: ProjectBudget,
  }),
  removeProjectBudget: endpoint({
    method: 'DELETE',
    path: '/api/analytics/project-budgets/:id',
    access: 'user',
    summary: 'Removes the budget of a project.',
    params: z.strictObject({ id: PathId }),
    output: NoContent,
    status: 204,
  }),
};
