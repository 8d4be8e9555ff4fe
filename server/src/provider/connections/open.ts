import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { Provider } from '#server/provider/provider';
import { type Vault, VaultError } from '#server/security/vault';
import { ConnectionKey, type ConnectionTarget } from './connection-key.ts';
import { type ConnectionRow, connectionRepository } from './connection-repository.ts';
import { keyHeaderOf } from './presets.ts';

/** A sealed key names the address that it belongs to, so that a changed row cannot send it elsewhere. */
export const SealedKey = z.strictObject({ baseUrl: z.string(), key: z.string() });

type Dependencies = {
  db: Kysely<Database>;
  vault: Vault;
  /** The client of a connection. Cached: the same connection gets the same client. */
  providerOf: (connection: ConnectionTarget) => Promise<Provider>;
};

const targetOf = (row: ConnectionRow): ConnectionTarget => ({
  ...{ id: row.id, name: row.name, preset: row.preset, baseUrl: row.base_url, api: row.api },
  ...{ keyHeader: keyHeaderOf(row.preset), firstTokenSeconds: row.first_token_seconds },
});

const unreadable = (name: string, cause?: unknown) =>
  new AppError('key_unreadable', `The key of ${name} can no longer be read. Enter it again in Settings > API Keys.`, {
    cause,
  });

type OpenedRow = ConnectionRow & { wrapped: string | null };

/** Opens connections for calls. */
export function connectionOpener({ db, vault, providerOf }: Dependencies) {
  const connections = connectionRepository(db);

  function keyOf(userId: number, { key_sealed: sealed, base_url, name, wrapped }: OpenedRow): string {
    if (sealed === null) return '';
    if (wrapped === null) throw unreadable(name);
    try {
      const { baseUrl, key } = SealedKey.parse(
        JSON.parse(vault.openProviderKey(userId, wrapped, sealed, 'connection-key').reveal()),
      );
      if (baseUrl !== base_url) throw new VaultError('The key belongs to another address.');
      return key;
    } catch (cause) {
      if (cause instanceof VaultError) throw unreadable(name, cause);
      throw cause;
    }
  }

  /**
   * The key of a user's connection.
   * @throws no_api_key if it was removed or is paused, key_unreadable
   */
  return async function openConnection(userId: number, id: number): Promise<ConnectionKey> {
    const row = await connections.findWithDataKey(userId, id);
    if (!row)
      throw new AppError('no_api_key', 'The connection of this model was removed. Choose another model to continue.');
    if (row.is_paused === 1)
      throw new AppError(
        'no_api_key',
        `The connection ${row.name} is paused. Resume it in Settings > API Keys, or choose another model.`,
      );
    const target = targetOf(row);
    return new ConnectionKey(keyOf(userId, row), target, await providerOf(target));
  };
}

export type OpenConnection = ReturnType<typeof connectionOpener>;
