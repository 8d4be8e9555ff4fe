import type { Config } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import type { Presence } from '#server/db/presence';
import type { ExportPart } from '#server/features/feature';
import type { Router } from '#server/http/app-router/router';
import { connectionAddresses } from '#server/provider/connections/address-policy';
import type { ConnectionTarget } from '#server/provider/connections/connection-key';
import { connectionRepository } from '#server/provider/connections/connection-repository';
import type { ConnectionOpener } from '#server/provider/connections/open';
import type { Provider } from '#server/provider/provider';
import type { Vault } from '#server/security/vault';
import { clientOpener } from './clients.ts';
import { offerRoutes } from './offer-routes.ts';
import { offerService } from './offer-service.ts';
import { connectionRefusals } from './refusals.ts';
import { connectionRoutes } from './routes.ts';
import { connectionService } from './service.ts';
import { toConnection } from './to-connection.ts';

const connectionExportPart = ({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart => ({
  description: ['connections.json               the connections to providers, without their keys'],
  async *entries(userId) {
    const rows = await connectionRepository(reader).listOwn(userId);
    const connections = rows.map(toConnection).map(({ id: _, ...connection }) => connection);
    yield { name: 'connections.json', content: [`${JSON.stringify({ connections }, null, 2)}\n`] };
  },
});

type Dependencies = {
  database: OpenDatabase;
  vault: Vault;
  config: Pick<Config, 'connections' | 'proxyFor'>;
  openConnection: ConnectionOpener['openConnection'];
  openOffered: ConnectionOpener['openOffered'];
  presence: Pick<Presence, 'send' | 'listen'>;
  forgetClient: (connectionId: number) => void;
  onUsable: (userId: number) => Promise<void>;
  /** A client of its own for a connection that is not stored. */
  createClient: (target: ConnectionTarget) => Promise<Provider>;
};

/** Accounts with providers beside the installation's own: people's, and those that administrators offer. */
export function connectionFeature(dependencies: Dependencies) {
  const { database, vault, config, createClient, openConnection, openOffered } = dependencies;
  const shared = { db: database.db, vault, addresses: connectionAddresses(config), open: clientOpener(createClient) };
  const refusals = connectionRefusals({ ...dependencies, db: database.db });
  const connections = connectionService({
    ...{ ...shared, listsHosts: config.connections.listsHosts, openConnection },
    onUsable: dependencies.onUsable,
    refusals,
  });
  const offers = offerService({ ...shared, openOffered, refusals });
  return {
    routes(router: Router) {
      connectionRoutes(router, connections);
      offerRoutes(router, offers);
    },
    exportParts: [connectionExportPart(database)],
  };
}
