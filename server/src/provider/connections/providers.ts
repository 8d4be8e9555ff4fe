import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { createProvider, type ProviderOptions } from '#server/provider/create';
import type { Provider } from '#server/provider/provider';
import { type ProviderTimeouts, providerTimeouts } from '#server/provider/transport/timeouts';
import { scopeOf } from '#server/provider/unsupported/refusal-repository';
import type { Vault } from '#server/security/vault';
import type { ConnectionTarget } from './connection-key.ts';
import { offerBudget } from './offer-budget.ts';
import { offeredPrices } from './offered-prices.ts';
import { connectionOpener } from './open.ts';
import { routeByKey } from './route-by-key.ts';
import { sentHeaders } from './sent-headers.ts';

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

type ConnectionConnector = NonNullable<ProviderOptions['connection']>['connector'];

/** Clients that are kept, so that their sockets and what they have learned are used again. */
const maxClients = 500;

/** The wait that the connection's owner has set takes the place of the installation's. */
const timesOf = (times: ProviderTimeouts, { firstTokenSeconds }: ConnectionTarget): ProviderTimeouts =>
  firstTokenSeconds === null ? times : { ...times, ...providerTimeouts({ firstTokenMs: firstTokenSeconds * 1000 }) };

/** The clients of people's connections, one each: nothing that one connection meets changes another. */
function connectionClients({ connector, times, ...options }: Omit<Options, 'config' | 'vault' | 'catalogue'>) {
  const clients = new Map<string, { connectionId: number; provider: Promise<Provider> }>();

  function create(connection: ConnectionTarget): Promise<Provider> {
    const { id, name, baseUrl, api, keyHeader, preset } = connection;
    return createProvider({
      ...options,
      times: timesOf(times, connection),
      config: { baseUrl, name },
      connection: { scope: scopeOf(id), api, keyHeader, connector, headersOf: sentHeaders(preset) },
    });
  }

  return {
    /** A changed connection gets a new client; the old one ends with its last request. */
    providerOf(connection: ConnectionTarget): Promise<Provider> {
      const signature = JSON.stringify(connection);
      const cached = clients.get(signature);
      if (cached) return cached.provider;
      const [oldest] = clients.keys();
      if (clients.size >= maxClients && oldest !== undefined) clients.delete(oldest);
      const provider = create(connection);
      clients.set(signature, { connectionId: connection.id, provider });
      provider.catch(() => clients.delete(signature));
      return provider;
    },
    /** The next call gets a new client; the old one ends with its last request. */
    forget(connectionId: number) {
      for (const [signature, client] of clients) if (client.connectionId === connectionId) clients.delete(signature);
    },
    async close() {
      for (const { provider } of clients.values()) await (await provider).close();
      clients.clear();
    },
  };
}
