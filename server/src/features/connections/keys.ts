import type { ConnectionChange, NewConnection, PresetId } from '@roster/contracts/connections/connections';
import type { ConnectionHeader } from '@roster/contracts/connections/headers';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { ConnectionAddresses } from '#server/provider/connections/address-policy';
import type { ConnectionRow } from '#server/provider/connections/connection-repository';
import { keyHeaderOf, type Preset, presetOf } from '#server/provider/connections/presets';
import { ProviderError } from '#server/provider/transport/error';
import type { Vault } from '#server/security/vault';
import type { OpenClient, OpenedClient } from './clients.ts';
import { encryptedColumns } from './encrypted-columns.ts';
import { invalid } from './errors.ts';

/** Milliseconds that a person waits for a new key to be tried. */
const tryMs = 8_000;

/** `rejected`: in the provider's own words. `notice`: the key is stored with it; null: nothing is wrong. */
type TriedKey = { rejected: string } | { notice: string | null };

/** The key is accepted, or nothing says that it is not. */
const limits = new Set<ProviderError['code']>(['missing_scope', 'rate_limited', 'insufficient_quota', 'region']);

/** Tries a key by listing models, which costs nothing. A provider without a list is asked only by Check. */
async function tryKey({ key }: OpenedClient, preset: Pick<Preset, 'serves'>): Promise<TriedKey> {
  if (preset.serves.length > 0 && !preset.serves.includes('models')) return { notice: null };
  try {
    await key.provider.models(key, tryMs);
    return { notice: null };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.code === 'key_rejected') return { rejected: error.message };
    if (error.code === 'not_served') return { notice: null };
    if (limits.has(error.code)) return { notice: error.message };
    return { notice: `${error.message} The connection is saved but not verified.` };
  }
}

export type KeyDependencies = {
  db: Kysely<Database>;
  vault: Vault;
  addresses: ConnectionAddresses;
  /** For a key that is not stored yet. */
  open: OpenClient;
};

/** Always the same text for an address, so that a key is bound to one. */
const tidyUrl = (text: string) => new URL(text).href.replace(/[?#]+$/, '').replace(/\/+$/, '');

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

/** @throws invalid_input for the header that carries the key */
function refuseKeyHeader(preset: PresetId, headers: readonly { name: string }[]) {
  const keyHeader = keyHeaderOf(preset);
  if (headers.some(({ name }) => name.toLowerCase() === keyHeader))
    throw invalid('headers', `The key of this provider is sent in ${keyHeader}: enter it as the API key`);
}

/** True if the change replaces something secret that is stored. */
export const replacesSecret = (row: ConnectionRow | undefined, { key, headers }: SecretChanges): boolean =>
  row !== undefined &&
  (key !== undefined || headers !== undefined) &&
  (row.key_sealed !== null || row.headers_sealed !== null);

type Target = Pick<ConnectionRow, 'preset' | 'name' | 'base_url'>;
type Secrets = { key: string; headers: readonly ConnectionHeader[] };
type SecretChanges = Pick<ConnectionChange, 'key' | 'headers'>;

/** Keys and headers are tried before they are stored, and encrypted with their address. */
export function connectionKeys({ db, vault, addresses, open }: KeyDependencies) {
  const { keyColumns, headerColumns, stored, changedHeaders } = encryptedColumns({ db, vault });

  /** @throws key_rejected */
  async function tried(target: Target, { key, headers }: Secrets, field: 'key' | 'headers' = 'key') {
    const { preset, name, base_url: baseUrl } = target;
    const client = await open(
      { id: 0, name, preset, baseUrl, keyHeader: keyHeaderOf(preset), api: 'auto', firstTokenSeconds: null },
      key,
      headers,
    );
    try {
      const result = await tryKey(client, presetOf(preset));
      if ('rejected' in result)
        throw new AppError('key_rejected', result.rejected, { fields: { [field]: result.rejected } });
      return result.notice;
    } finally {
      await client.end();
    }
  }

  /** The columns of a new connection's secrets, and what the provider says of them. @throws key_rejected */
  async function newSecrets(owner: number | null, target: Target, draft: Pick<NewConnection, 'key' | 'headers'>) {
    const { key, headers } = draft;
    refuseKeyHeader(target.preset, headers);
    const notice = await tried(target, { key: key ?? '', headers });
    const { base_url: baseUrl } = target;
    return {
      ...(await keyColumns(owner, baseUrl, key ?? null)),
      ...(await headerColumns(owner, baseUrl, headers)),
      notice,
    };
  }

  /** Tries what is sent after the change. @throws key_rejected */
  async function triedChange(row: ConnectionRow, key: string | null | undefined, headers?: ConnectionHeader[]) {
    const field = key ? 'key' : 'headers';
    const refusal = await addresses.refusalOf(row.preset, row.base_url);
    if (refusal !== null) throw invalid(field, refusal);
    const whole = {
      key: key === undefined ? await stored.key(row) : (key ?? ''),
      headers: headers ?? (await stored.headers(row)),
    };
    return { notice: await tried(row, whole, field) };
  }

  /** The changed columns of key and headers. @throws key_rejected, without changing anything */
  async function secretColumns(row: ConnectionRow, { key, headers: changes }: SecretChanges) {
    if (key === undefined && changes === undefined) return {};
    refuseKeyHeader(row.preset, changes ?? []);
    const headers = changes && (await changedHeaders(row, changes));
    const { user_id: owner, base_url: baseUrl } = row;
    const isAdded = Boolean(key) || (headers !== undefined && headers.length > 0);
    return {
      ...(isAdded && (await triedChange(row, key, headers))),
      ...(key !== undefined && (await keyColumns(owner, baseUrl, key))),
      ...(headers && (await headerColumns(owner, baseUrl, headers))),
    };
  }

  return { newSecrets, secretColumns };
}
