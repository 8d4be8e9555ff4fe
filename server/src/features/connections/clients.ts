import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import { ConnectionKey, type ConnectionTarget } from '#server/provider/connections/connection-key';
import { connectionRepository } from '#server/provider/connections/connection-repository';
import { keyHeaderOf } from '#server/provider/connections/presets';
import type { Provider } from '#server/provider/provider';
import { dataKeyRepository } from '#server/security/data-key-repository';
import { type Vault, VaultError } from '#server/security/vault';

/** A key with its only client, and the end of that client. */
export type OpenedClient = { key: ConnectionKey; end: () => Promise<void> };

/** Opens the client of a connection, which reaches its address and no other. */
export type OpenClient = (target: ConnectionTarget, key: string) => Promise<OpenedClient>;

/** For a key that is tried before it is stored, and for servers that are looked for. */
export const clientOpener =
  (createClient: (target: ConnectionTarget) => Promise<Provider>): OpenClient =>
  async (target, key) => {
    const provider = await createClient(target);
    return { key: new ConnectionKey(key, target, provider), end: () => provider.close() };
  };

const SealedKey = z.strictObject({ baseUrl: z.string(), key: z.string() });

const unreadable = (cause?: unknown) =>
  new AppError('key_unreadable', 'The key of this connection cannot be read any more. Please enter it again.', {
    cause,
  });

/** The stored key of a connection with its client. */
export function storedClientOpener({ db, vault, open }: { db: Kysely<Database>; vault: Vault; open: OpenClient }) {
  /** @throws key_unreadable, also if the row has another address than the one that the key was entered for */
  async function keyOf(userId: number, sealed: string, baseUrl: string): Promise<string> {
    const wrapped = await dataKeyRepository(db).find(userId);
    if (wrapped === undefined) throw unreadable();
    try {
      const opened = SealedKey.parse(
        JSON.parse(vault.openProviderKey(userId, wrapped, sealed, 'connection-key').reveal()),
      );
      if (opened.baseUrl === baseUrl) return opened.key;
    } catch (cause) {
      if (cause instanceof VaultError) throw unreadable(cause);
      throw cause;
    }
    throw unreadable();
  }

  return async (userId: number, id: number): Promise<OpenedClient> => {
    const row = await connectionRepository(db).find(userId, id);
    if (!row) throw new AppError('not_found', 'Connection not found. It may have been removed.');
    const { preset, name, base_url: baseUrl, api, first_token_seconds: firstTokenSeconds } = row;
    const key = row.key_sealed === null ? '' : await keyOf(userId, row.key_sealed, baseUrl);
    return open({ id, name, preset, baseUrl, keyHeader: keyHeaderOf(preset), api, firstTokenSeconds }, key);
  };
}
