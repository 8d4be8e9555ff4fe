import { connections as api } from '@roster/contracts/connections/connections';
import { connectionOffers } from '@roster/contracts/connections/offers';
import type { Config } from '#server/config/config';
import type { OpenDatabase } from '#server/db/connect';
import type { Presence } from '#server/db/presence';
import type { ExportPart } from '#server/features/feature';
import type { Router } from '#server/http/app-router/router';
import { requireFresh } from '#server/http/sessions/sessions';
import { visitorOf } from '#server/http/user-agent';
import { connectionAddresses } from '#server/provider/connections/address-policy';
import type { ConnectionTarget } from '#server/provider/connections/connection-key';
import { connectionRepository } from '#server/provider/connections/connection-repository';
import type { ConnectionOpener } from '#server/provider/connections/open';
import type { Provider } from '#server/provider/provider';
import type { Vault } from '#server/security/vault';
import { clientOpener } from './clients.ts';
import { type OfferService, offerService } from './offer-service.ts';
import { connectionRefusals } from './refusals.ts';
import { type ConnectionService, connectionService } from './service.ts';
import { toConnection } from './to-connection.ts';

function offerRoutes({ route }: Router, offers: OfferService) {
  route(connectionOffers.list, () => offers.list());
  route(connectionOffers.create, async ({ actor, body, request }) => {
    const made = await offers.create(actor, body, visitorOf(request));
    request.log.info(
      { event: 'connection_offered', userId: actor.userId, connectionId: made.id, preset: made.preset },
      'connection offered',
    );
    return made;
  });
  route(connectionOffers.change, async ({ actor, params, body, request }) => {
    if (await offers.replacesSecret(params.id, body)) requireFresh(actor);
    const changed = await offers.change(actor, params.id, body, visitorOf(request));
    request.log.info(
      { event: 'connection_offer_changed', userId: actor.userId, connectionId: params.id },
      'offered connection changed',
    );
    return changed;
  });
  route(connectionOffers.check, ({ params, body }) => offers.check(params.id, body.model));
  route(connectionOffers.uses, ({ params }) => offers.uses(params.id));
  route(connectionOffers.spending, ({ params, query }) => offers.spending(params.id, query.month));
  route(connectionOffers.refusals, ({ params }) => offers.refusals(params.id));
  route(connectionOffers.askAgain, ({ params }) => offers.askAgain(params.id));
  route(connectionOffers.remove, async ({ actor, params, request }) => {
    await offers.remove(actor, params.id, visitorOf(request));
    request.log.info(
      { event: 'connection_offer_removed', userId: actor.userId, connectionId: params.id },
      'offered connection removed',
    );
  });
}

function connectionRoutes({ route }: Router, connections: ConnectionService) {
  route(api.list, ({ actor }) => connections.list(actor.userId));
  route(api.presets, async () => connections.presets());
  route(api.local, async () => ({ servers: await connections.local() }));
  route(api.create, async ({ actor, body, request }) => {
    const made = await connections.create(actor, body, visitorOf(request));
    request.log.info(
      { event: 'connection_added', userId: actor.userId, connectionId: made.id, preset: made.preset },
      'connection added',
    );
    return made;
  });
  route(api.change, async ({ actor, params, body, request }) => {
    if (await connections.replacesSecret(actor.userId, params.id, body)) requireFresh(actor);
    return connections.change(actor, params.id, body, visitorOf(request));
  });
  route(api.check, ({ actor, params, body }) => connections.check(actor.userId, params.id, body.model));
  route(api.uses, ({ actor, params }) => connections.uses(actor.userId, params.id));
  route(api.refusals, ({ actor, params }) => connections.refusals(actor.userId, params.id));
  route(api.askAgain, ({ actor, params }) => connections.askAgain(actor.userId, params.id));
  route(api.remove, async ({ actor, params, request }) => {
    await connections.remove(actor, params.id, visitorOf(request));
    request.log.info(
      { event: 'connection_removed', userId: actor.userId, connectionId: params.id },
      'connection removed',
    );
  });
}

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
