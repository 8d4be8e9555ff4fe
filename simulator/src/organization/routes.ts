import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../http/fields.ts';
import type { World } from '../world.ts';
import type { DayOfModel } from './ledger.ts';
import { type LineItem, lineItems } from './prices.ts';
import { daysQuery, pageOfDays } from './query.ts';

const USAGE = { groups: ['project_id', 'user_id', 'api_key_id', 'model', 'batch', 'service_tier'], limit: 31 };
const COSTS = { groups: ['project_id', 'line_item', 'api_key_id'], limit: 180 };

/** One project and one user; keys are never stored, so they cannot be told apart. */
const PROJECT = 'proj_simulator';
const USER = 'user-simulator';

function usageResult(entries: readonly DayOfModel[], groupBy: ReadonlySet<string>): JsonObject {
  const sum = (value: (entry: DayOfModel) => number) => entries.reduce((total, entry) => total + value(entry), 0);
  const [input, cached, writes] = [sum((e) => e.input), sum((e) => e.cached), sum((e) => e.cacheWrites)];
  const given = (group: string, value: unknown) => (groupBy.has(group) ? value : null);
  return {
    object: 'organization.usage.completions.result',
    input_tokens: input,
    input_cached_tokens: cached,
    input_cache_write_tokens: writes,
    input_uncached_tokens: input - cached - writes,
    output_tokens: sum((e) => e.output),
    input_text_tokens: input - cached - writes,
    output_text_tokens: sum((e) => e.output),
    input_cached_text_tokens: cached,
    input_audio_tokens: 0,
    input_cached_audio_tokens: 0,
    output_audio_tokens: 0,
    input_image_tokens: 0,
    input_cached_image_tokens: 0,
    output_image_tokens: 0,
    num_model_requests: sum((e) => e.requests),
    project_id: given('project_id', PROJECT),
    user_id: given('user_id', USER),
    api_key_id: null,
    model: given('model', entries[0]?.model ?? null),
    batch: given('batch', false),
    service_tier: given('service_tier', 'default'),
  };
}

function costResult(items: readonly LineItem[], groupBy: ReadonlySet<string>): JsonObject {
  const byItem = groupBy.has('line_item');
  return {
    object: 'organization.costs.result',
    amount: { value: items.reduce((total, { value }) => total + value, 0), currency: 'usd' },
    line_item: byItem ? (items[0]?.name ?? null) : null,
    project_id: groupBy.has('project_id') ? PROJECT : null,
    api_key_id: null,
    ...(byItem && { quantity: items.reduce((total, { quantity }) => total + quantity, 0), quantity_unit: 'tokens' }),
  };
}

/** The organization's figures; admission lets only its admin keys in. */
export function organizationRoutes(app: FastifyInstance, { clock, ledger }: World): void {
  app.get('/organization/usage/completions', async ({ query }) => {
    const filters = daysQuery(query, USAGE, clock.now());
    const entries = (await ledger.days(filters.from, filters.end)).filter(
      ({ requests, model }) => requests > 0 && (filters.models.length === 0 || filters.models.includes(model)),
    );
    return pageOfDays(filters, (day) => {
      const ofDay = entries.filter((entry) => entry.day === day);
      if (filters.groupBy.has('model')) return ofDay.map((entry) => usageResult([entry], filters.groupBy));
      return ofDay.length === 0 ? [] : [usageResult(ofDay, filters.groupBy)];
    });
  });

  app.get('/organization/costs', async ({ query }) => {
    const filters = daysQuery(query, COSTS, clock.now());
    const entries = await ledger.days(filters.from, filters.end);
    return pageOfDays(filters, (day) => {
      const items = entries.filter((entry) => entry.day === day).flatMap(lineItems);
      if (filters.groupBy.has('line_item')) return items.map((item) => costResult([item], filters.groupBy));
      return items.length === 0 ? [] : [costResult(items, filters.groupBy)];
    });
  });
}
