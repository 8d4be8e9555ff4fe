import type { NewConnection } from '@roster/contracts/connections/connections';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { ConnectionAddresses } from '#server/provider/connections/address-policy';
import type { ConnectionRow } from '#server/provider/connections/connection-repository';
import { keyHeaderOf, presetOf } from '#server/provider/connections/presets';
import { encryptForInstallation, encryptWithDataKey } from '#server/security/encryption';
import { Secret } from '#server/security/secret';
import type { Vault } from '#server/security/vault';
import type { OpenClient } from './clients.ts';
import { tryKey } from './try-key.ts';

export type KeyDependencies = {
  db: Kysely<Database>;
  vault: Vault;
  addresses: ConnectionAddresses;
  /** For a key that is not stored yet. */
  open: OpenClient;
};

/** Minimum length of a key whose last digits are shown. */
const minShownLength = 12;
export const last4Of = (key: string) => (key.length >= minShownLength ? key.slice(-4) : '');

export const notFound = () => new AppError('not_found', 'Connection not found. It may have been removed.');

export const invalid = (field: string, message: string) =>
  new AppError('invalid_input', message, { fields: { [field]: message } });

/** Always the same text for an address, so that a key is bound to one. */
const tidyUrl = (text: string) => text.replace(/\/+$/, '');

/** The address of a new connection. @throws AppError if it may not be used */
export async function addressOf(
  addresses: ConnectionAddresses,
  { preset, baseUrl }: Pick<NewConnection, 'preset' | 'baseUrl'>,
): Promise<string> {
  const { baseUrl: usual, example } = presetOf(preset);
  const address = baseUrl ?? usual;
  if (address === null) throw invalid('baseUrl', `Enter the address, such as ${example}`);
  const refusal = await addresses.refusalOf(preset, address);
  if (refusal !== null) throw invalid('baseUrl', refusal);
  return tidyUrl(address);
}

/** Keys are tried before they are stored, and sealed with their address. */
export function connectionKeys({ db, vault, addresses, open }: KeyDependencies) {
  /**
   * The key with its address in one text, encrypted: in another row it never reaches another address. Without an owner,
   * for the installation.
   */
  function sealed(owner: number | null, baseUrl: string, key: string) {
    const secret = new Secret(JSON.stringify({ baseUrl, key }));
    return owner === null
      ? encryptForInstallation({ db, vault }, secret, 'offered-connection-key')
      : encryptWithDataKey({ db, vault }, owner, secret, 'connection-key');
  }

  /** @throws key_rejected */
  async function tried(target: Pick<ConnectionRow, 'preset' | 'name' | 'base_url'>, key: string) {
    const { preset, name, base_url: baseUrl } = target;
    const client = await open(
      { id: 0, name, preset, baseUrl, keyHeader: keyHeaderOf(preset), api: 'auto', firstTokenSeconds: null },
      key,
    );
    try {
      const result = await tryKey(client, presetOf(preset));
      if ('rejected' in result)
        throw new AppError('key_rejected', result.rejected, { fields: { key: result.rejected } });
      return result.notice;
    } finally {
      await client.end();
    }
  }

  /** The changed columns of a key. @throws key_rejected, without changing anything */
  async function keyColumns(row: ConnectionRow, key: string | null) {
    if (key === null) return { key_sealed: null, key_last4: null };
    const refusal = await addresses.refusalOf(row.preset, row.base_url);
    if (refusal !== null) throw invalid('key', refusal);
    const notice = await tried(row, key);
    return { key_sealed: await sealed(row.user_id, row.base_url, key), key_last4: last4Of(key), notice };
  }

  return { sealed, tried, keyColumns };
}
