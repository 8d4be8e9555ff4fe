import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { Provider } from '#server/provider/provider';
import type { Vault } from '#server/security/vault';
import { ConnectionKey, type ConnectionTarget } from './connection-key.ts';
import { type ConnectionRow, connectionRepository, type OpenedRow } from './connection-repository.ts';
import { connectionSecrets } from './encrypted-secrets.ts';
import type { OfferBudget, Spending } from './offer-budget.ts';
import { keyHeaderOf } from './presets.ts';
import { spendRepository } from './spend-repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  vault: Vault;
  /** The client of a connection. Cached: the same connection gets the same client. */
  providerOf: (connection: ConnectionTarget) => Promise<Provider>;
  budget: OfferBudget;
};

const targetOf = (row: ConnectionRow): ConnectionTarget => ({
  ...{ id: row.id, name: row.name, preset: row.preset, baseUrl: row.base_url, api: row.api },
  ...{ keyHeader: keyHeaderOf(row.preset), firstTokenSeconds: row.first_token_seconds },
});

const paused = ({ name, user_id }: ConnectionRow) =>
  new AppError(
    'no_api_key',
    user_id === null
      ? `The connection ${name} is paused by an administrator. Choose another model.`
      : `The connection ${name} is paused. Resume it in Settings > API Keys, or choose another model.`,
  );

/** Opens connections for calls. */
export function connectionOpener({ db, vault, providerOf, budget }: Dependencies) {
  const connections = connectionRepository(db);
  const secrets = connectionSecrets(vault);

  /** Names only a connection that the user has used, so that nobody can look for others. */
  async function missing(userId: number, id: number): Promise<AppError> {
    const name = await spendRepository(db).usedName(id, userId);
    return new AppError(
      'no_api_key',
      name === undefined
        ? 'The connection of this model was removed. Choose another model to continue.'
        : `${name} is no longer offered to you. Choose another model to continue.`,
    );
  }

  async function opened(row: OpenedRow): Promise<ConnectionKey> {
    const target = targetOf(row);
    return new ConnectionKey(secrets.keyOf(row), target, await providerOf(target), secrets.headersOf(row));
  }

  return {
    /**
     * The key of a user's connection, or of one that is offered to the user. `spending`: what is about to be
     * asked; left out: nothing is spent.
     * @throws no_api_key if it was removed, is paused or is not offered any more, key_unreadable, offered_budget_exceeded
     */
    async openConnection(userId: number, id: number, spending?: Spending): Promise<ConnectionKey> {
      const row = await connections.findToOpen(userId, id);
      if (!row) throw await missing(userId, id);
      if (row.is_paused === 1) throw paused(row);
      const key = await opened(row);
      const limits = { perPerson: row.monthly_usd_per_person, total: row.monthly_usd_total };
      if (row.user_id === null && spending) await budget.check(userId, key, limits, spending);
      return key;
    },

    /** The key of an offered connection, for an administrator who checks it. @throws not_found, key_unreadable */
    async openOffered(id: number): Promise<ConnectionKey> {
      const row = await connections.findOfferedToOpen(id);
      if (!row) throw new AppError('not_found', 'Connection not found. It may have been removed.');
      return opened(row);
    },
  };
}

export type ConnectionOpener = ReturnType<typeof connectionOpener>;
export type OpenConnection = ConnectionOpener['openConnection'];
