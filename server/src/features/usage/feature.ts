import type { Config } from '../../config.ts';
import type { OpenDatabase } from '../../db/connect.ts';
import type { Router } from '../../http/router.ts';
import type { Catalogue } from '../../provider/catalogue.ts';
import type { Provider } from '../../provider/provider.ts';
import type { Vault } from '../../security/vault.ts';
import { adminKeyService } from './admin-key.ts';
import { analyticsService } from './analytics.ts';
import { analyticsRepository } from './analytics-repository.ts';
import { budgetRepository } from './budget-repository.ts';
import { budgetService } from './budgets.ts';
import { usageExport } from './export-part.ts';
import { pricingService } from './pricing.ts';
import { providerFigureService } from './provider-figures.ts';
import { usageRoutes } from './routes.ts';

type Dependencies = {
  database: OpenDatabase;
  config: Pick<Config, 'provider'>;
  catalogue: Catalogue;
  provider: Pick<Provider, 'organization'>;
  vault: Vault;
  ownsAssistant: (userId: number, assistantId: number) => Promise<boolean>;
};

/** What calls cost: analytics, prices, budgets, and the provider's own figures. */
export function usageFeature({ database, config, catalogue, provider, vault, ownsAssistant }: Dependencies) {
  const { db, reader } = database;
  const sums = analyticsRepository(reader);
  const analytics = analyticsService(sums);
  const pricing = pricingService({ db, catalogue });
  const budgets = budgetService({ budgets: budgetRepository(db), analytics: analyticsRepository(db), ownsAssistant });
  const adminKeys = adminKeyService({ db, vault, provider, config });
  const { organization } = provider;
  const providerFigures = providerFigureService({ organization, adminKeys, analytics: sums });

  return {
    routes: (router: Router) => usageRoutes(router, { analytics, pricing, budgets, adminKeys, providerFigures }),
    exportParts: [usageExport(database)],
    pricing,
    budgets,
  };
}
