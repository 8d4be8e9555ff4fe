import { createProvider, type ProviderOptions } from '#server/provider/create';
import type { Vault } from '#server/security/vault';
import { type ConnectionConnector, connectionClients } from './clients.ts';
import { connectionOpener } from './open.ts';
import { routeByKey } from './route-by-key.ts';

type Options = Omit<ProviderOptions, 'connection'> & { vault: Vault; connector: ConnectionConnector };

/** The installation's provider and those of people's connections, behind one interface: each key leads to its own. */
export async function createProviders({ vault, connector, ...options }: Options) {
  const installation = await createProvider(options);
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
    openConnection: connectionOpener({ db: options.db, vault, providerOf: clients.providerOf }),
    forgetClient: clients.forget,
  };
}
