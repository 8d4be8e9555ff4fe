import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { createProvider, type ProviderOptions } from '#server/provider/create';
import type { Vault } from '#server/security/vault';
import { type ConnectionConnector, connectionClients } from './clients.ts';
import { offerBudget } from './offer-budget.ts';
import { offeredPrices } from './offered-prices.ts';
import { connectionOpener } from './open.ts';
import { routeByKey } from './route-by-key.ts';

type Options = Omit<ProviderOptions, 'connection'> & {
  vault: Vault;
  catalogue: Catalogue;
  connector: ConnectionConnector;
};

/** The installation's provider and those of people's connections, behind one interface: each key leads to its own. */
export async function createProviders({ vault, catalogue, connector, ...options }: Options) {
  const installation = await createProvider(options);
  const prices = offeredPrices(catalogue);
  const clients = connectionClients({ ...options, connector });
  return {
    provider: {
      ...routeByKey(installation),
      upkeep: installation.upkeep,
      async close() {
        await installation.close();
        await clients.close();
      },
    },
    offeredPrices: prices,
    ...connectionOpener({
      ...{ db: options.db, vault, providerOf: clients.providerOf },
      budget: offerBudget({ db: options.db, prices }),
    }),
    forgetClient: clients.forget,
  };
}
