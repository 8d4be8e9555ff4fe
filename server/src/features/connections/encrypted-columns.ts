import type { ConnectionHeader, ConnectionHeaderChanges } from '@roster/contracts/connections/headers';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import {
  type ConnectionRow,
  connectionRepository,
  type OpenedRow,
} from '#server/provider/connections/connection-repository';
import { connectionSecrets, headersText, keyText, purposesOf } from '#server/provider/connections/encrypted-secrets';
import { encryptForInstallation, encryptWithDataKey } from '#server/security/encryption';
import { Secret } from '#server/security/secret';
import type { Vault } from '#server/security/vault';
import { invalid, notFound } from './errors.ts';

/** Minimum length of a key whose last digits are shown. */
const minShownLength = 12;
const last4Of = (key: string) => (key.length >= minShownLength ? key.slice(-4) : '');

/** The columns of encrypted keys and headers. Without an owner they are the installation's. */
export function encryptedColumns(dependencies: { db: Kysely<Database>; vault: Vault }) {
  const secrets = connectionSecrets(dependencies.vault);

  const encrypt = (owner: number | null, text: string, what: 'key' | 'headers') =>
    owner === null
      ? encryptForInstallation(dependencies, new Secret(text), purposesOf(owner)[what])
      : encryptWithDataKey(dependencies, owner, new Secret(text), purposesOf(owner)[what]);

  async function openedRow({ id, user_id }: ConnectionRow): Promise<OpenedRow> {
    const rows = connectionRepository(dependencies.db);
    const row = await (user_id === null ? rows.findOfferedToOpen(id) : rows.findToOpen(user_id, id));
    if (!row) throw notFound();
    return row;
  }

  return {
    async keyColumns(owner: number | null, baseUrl: string, key: string | null) {
      if (key === null) return { key_sealed: null, key_last4: null };
      return { key_sealed: await encrypt(owner, keyText(baseUrl, key), 'key'), key_last4: last4Of(key) };
    },

    async headerColumns(owner: number | null, baseUrl: string, headers: readonly ConnectionHeader[]) {
      if (headers.length === 0) return { headers_sealed: null, header_names: '[]' };
      return {
        headers_sealed: await encrypt(owner, headersText(baseUrl, headers), 'headers'),
        // The values are in the encrypted text alone.
        header_names: JSON.stringify(headers.map(({ name }) => name)),
      };
    },

    /** @throws key_unreadable */
    stored: {
      key: async (row: ConnectionRow) => (row.key_sealed === null ? '' : secrets.keyOf(await openedRow(row))),
      headers: async (row: ConnectionRow) =>
        row.headers_sealed === null ? [] : secrets.headersOf(await openedRow(row)),
    },

    /** The headers after a change, with the values that stay. @throws invalid_input, key_unreadable */
    async changedHeaders(row: ConnectionRow, changes: ConnectionHeaderChanges): Promise<ConnectionHeader[]> {
      const keeps = changes.some(({ value }) => value === undefined);
      const before = keeps && row.headers_sealed !== null ? secrets.headersOf(await openedRow(row)) : [];
      const values = new Map(before.map(({ name, value }) => [name.toLowerCase(), value]));
      return changes.map(({ name, value = values.get(name.toLowerCase()) }) => {
        if (value === undefined) throw invalid('headers', `Enter the value of ${name}`);
        return { name, value };
      });
    },
  };
}
