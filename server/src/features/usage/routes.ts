import { usage as api } from '@roster/contracts/usage';
import type { Router } from '../../http/router.ts';
import type { AnalyticsService } from './analytics.ts';
import type { BudgetService } from './budgets.ts';
import type { PricingService } from './pricing.ts';

type Dependencies = { analytics: AnalyticsService; pricing: PricingService; budgets: BudgetService };

export function usageRoutes({ route }: Router, { analytics, pricing, budgets }: Dependencies) {
  route(api.analytics, ({ actor, query }) => analytics.overview(actor.userId, query));
  route(api.requests, ({ actor, query: { model, assistantId, limit, cursor, ...range } }) => {
    const filter = { model, assistantId: assistantId === 'none' ? null : assistantId };
    return analytics.requests(actor.userId, range, filter, limit, cursor);
  });
  route(api.prices, ({ actor }) => pricing.list(actor.userId));
  route(api.setPrice, ({ actor, body }) => pricing.set(actor.userId, body));
  route(api.removePrice, ({ actor, body }) => pricing.remove(actor.userId, body.model));
  route(api.budgets, ({ actor }) => budgets.list(actor.userId));
  route(api.saveBudget, ({ actor, body }) => budgets.save(actor.userId, body));
  route(api.removeBudget, ({ actor, params }) => budgets.remove(actor.userId, params.id));
}
