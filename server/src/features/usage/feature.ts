import type { Config } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import type { Router } from '#server/http/app-router/router';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { OfferedPrices } from '#server/provider/connections/offered-prices';
import type { Provider } from '#server/provider/provider';
import type { Vault } from '#server/security/vault';
import { adminKeyService } from './admin-key.ts';
import { analyticsService } from './analytics.ts';
import { analyticsRepository } from './analytics-repository.ts';
import { budgetRepository } from './budget-repository.ts';
import { budgetService } from './budgets.ts';
import { lastUsed } from './last-used.ts';
import { priceRepository } from './price-repository.ts';
import { pricingService } from './pricing.ts';
import { projectBudgetRepository } from './project-budget-repository.ts';
import { providerFigureService } from './provider-figures.ts';
import { usageRoutes } from './routes.ts';

const json = (value: unknown) => [`${JSON.stringify(value, undefined, 2)}\n`];

/** Budgets and custom prices in an account export. Uses the read connection. */
function usageExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  return {
    description: [
      'budgets.json                   what the calls of a month may cost',
      'project-budgets.json           what the conversations of a project may cost in a month',
      'prices.json                    prices that were entered by hand',
    ],
    async *entries(userId) {
      const budgets = await budgetRepository(reader).list(userId);
      yield { name: 'budgets.json', content: json(budgets.map(({ id: _, ...budget }) => budget)) };
      const ofProjects = await projectBudgetRepository(reader).list(userId);
      yield { name: 'project-budgets.json', content: json(ofProjects.map(({ id: _, ...budget }) => budget)) };
      yield { name: 'prices.json', content: json(await priceRepository(reader).list(userId)) };
    },
  };
}

type Dependencies = {
  database: OpenDatabase;
  config: Pick<Config, 'provider'>;
  catalogue: Catalogue;
  provider: Pick<Provider, 'organization'>;
  vault: Vault;
  ownsAssistant: (userId: number, assistantId: number) => Promise<boolean>;
  listedPrice: Parameters<typeof pricingService>[0]['listedPrice'];
  offeredPrices: Pick<OfferedPrices, 'cost'>;
};

/** Cost of calls: analytics, prices, budgets, and the provider’s own figures. */
export function usageFeature(dependencies: Dependencies) {
  const { database, config, catalogue, provider, vault, ownsAssistant, listedPrice, offeredPrices } = dependencies;
  const { db, reader } = database;
  const sums = analyticsRepository(reader);
  const analytics = analyticsService(sums, priceRepository(reader), catalogue);
  const pricing = pricingService({ db, catalogue, listedPrice, offeredPrices });
  const budgets = budgetService({
    budgets: budgetRepository(db),
    ofProjects: projectBudgetRepository(db),
    analytics: analyticsRepository(db),
    ownsAssistant,
  });
  const use = lastUsed(sums, pricing);
  const adminKeys = adminKeyService({ db, vault, provider, config });
  const { organization } = provider;
  const providerFigures = providerFigureService({ organization, adminKeys, analytics: sums });

  return {
    routes: (router: Router) => usageRoutes(router, { analytics, pricing, budgets, adminKeys, providerFigures }),
    exportParts: [usageExport(database)],
    pricing,
    recentUse: use,
    budgets,
  };
}
