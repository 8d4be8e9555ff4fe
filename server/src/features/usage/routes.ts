import { usage as api } from '@roster/contracts/usage/usage';
import type { Router } from '#server/http/app-router/router';
import { visitorOf } from '#server/http/user-agent';
import type { AdminKeyService } from './admin-key.ts';
import type { AnalyticsService } from './analytics.ts';
import type { BudgetService } from './budgets.ts';
import type { PricingService } from './pricing.ts';
import type { ProviderFigureService } from './provider-figures.ts';

type Dependencies = {
  analytics: AnalyticsService;
  pricing: PricingService;
  budgets: BudgetService;
  adminKeys: AdminKeyService;
  providerFigures: ProviderFigureService;
};

export function usageRoutes({ route }: Router, dependencies: Dependencies) {
  const { analytics, pricing, budgets, adminKeys, providerFigures } = dependencies;

  route(api.analytics, ({ actor, query }) => analytics.overview(actor.userId, query));
  route(api.assistants, ({ actor }) => analytics.byAssistant(actor.userId));
  route(api.requests, ({ actor, query }) => analytics.requests(actor.userId, query));
  route(api.byProject, ({ actor, query }) => analytics.byProject(actor.userId, query));
  route(api.prices, ({ actor }) => pricing.list(actor.userId));
  route(api.setPrice, ({ actor, body }) => pricing.set(actor.userId, body));
  route(api.removePrice, ({ actor, body }) => pricing.remove(actor.userId, body.model));
  route(api.budgets, ({ actor }) => budgets.list(actor.userId));
  route(api.saveBudget, ({ actor, body }) => budgets.save(actor.userId, body));
  route(api.removeBudget, ({ actor, params }) => budgets.remove(actor.userId, params.id));
  route(api.projectBudgets, ({ actor }) => budgets.projects.list(actor.userId));
  route(api.saveProjectBudget, ({ actor, body }) => budgets.projects.save(actor.userId, body));
  route(api.removeProjectBudget, ({ actor, params }) => budgets.projects.remove(actor.userId, params.id));
  route(api.providerFigures, ({ actor, query }) => providerFigures.read(actor.userId, query));
  route(api.adminKey, ({ actor }) => adminKeys.state(actor.userId));
  route(api.saveAdminKey, async ({ actor, body, request }) => {
    const state = await adminKeys.save(actor, body.adminKey, visitorOf(request));
    providerFigures.forget(actor.userId);
    request.log.info({ event: 'admin_key_saved', userId: actor.userId }, 'admin key saved');
    return state;
  });
  route(api.removeAdminKey, async ({ actor, request }) => {
    await adminKeys.remove(actor.userId, visitorOf(request));
    providerFigures.forget(actor.userId);
    request.log.info({ event: 'admin_key_removed', userId: actor.userId }, 'admin key removed');
  });
}
