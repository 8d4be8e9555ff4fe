import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { Provider } from '#server/provider/provider';
import { installationOwner } from '#server/security/encryption';
import { type Vault, VaultError } from '#server/security/vault';
import { ConnectionKey, type ConnectionTarget } from './connection-key.ts';
import { type ConnectionRow, connectionRepository, type OpenedRow } from './connection-repository.ts';
import type { OfferBudget, Spending } from './offer-budget.ts';
import { keyHeaderOf } from './presets.ts';
import { spendRepository } from './spend-repository.ts';

/** A sealed key names the address that it belongs to, so that a changed row cannot send it elsewhere. */
export const SealedKey = z.strictObject({ baseUrl: z.string(), key: z.string() });

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

const unreadable = ({ name, user_id }: ConnectionRow, cause?: unknown) =>
  new AppError(
    'key_unreadable',
    user_id === null
      ? `The key of ${name} can no longer be read. An administrator has to enter it again.`
      : `The key of ${name} can no longer be read. Enter it again in Settings > API Keys.`,
    { cause },
  );

const paused = ({ name, user_id }: ConnectionRow) =>
  new AppError(
    'no_api_key',
    user_id === null
      ? `The connection ${name} is paused by an administrator. Choose another model.`
      : `The connection ${name} is paused. Resume it in Settings > API Keys, or choose another model.`,
  );

/** The user's own key, or one of the installation that nobody's account holds. */
const sealOf = (userId: number, { user_id }: ConnectionRow) =>
  user_id === null
    ? ({ owner: installationOwner, purpose: 'offered-connection-key' } as const)
    : ({ owner: userId, purpose: 'connection-key' } as const);

/** Opens connections for calls. */
export function connectionOpener({ db, vault, providerOf, budget }: Dependencies) {
  const connections = connectionRepository(db);

  function keyOf(userId: number, row: OpenedRow): string {
    const { key_sealed: sealed, base_url, wrapped } = row;
    if (sealed === null) return '';
    if (wrapped === null) throw unreadable(row);
    const { owner, purpose } = sealOf(userId, row);
    try {
      const { baseUrl, key } = SealedKey.parse(
        JSON.parse(vault.openProviderKey(owner, wrapped, sealed, purpose).reveal()),
      );
      if (baseUrl !== base_url) throw new VaultError('The key belongs to another address.');
      return key;
    } catch (cause) {
      if (cause instanceof VaultError) throw unreadable(row, cause);
      throw cause;
    }
  }

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

  async function opened(userId: number, row: OpenedRow): Promise<ConnectionKey> {
    const target = targetOf(row);
    return new ConnectionKey(keyOf(userId, row), target, await providerOf(target));
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
      const key = await opened(userId, row);
      const limits = { perPerson: row.monthly_usd_per_person, total: row.monthly_usd_total };
      if (row.user_id === null && spending) await budget.check(userId, key, limits, spending);
      return key;
    },

    /** The key of an offered connection, for an administrator who checks it. @throws not_found, key_unreadable */
    async openOffered(id: number): Promise<ConnectionKey> {
      const row = await connections.findOfferedToOpen(id);
      if (!row) throw new AppError('not_found', 'Connection not found. It may have been removed.');
      return opened(installationOwner, row);
    },
  };
}

export type ConnectionOpener = ReturnType<typeof connectionOpener>;
export type OpenConnection = ConnectionOpener['openConnection'];
