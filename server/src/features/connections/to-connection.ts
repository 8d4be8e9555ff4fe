import type { Connection } from '@roster/contracts/connections/connections';
import type { ConnectionRow } from '#server/provider/connections/connection-repository';
import { parseChecks } from './repository.ts';

/** A connection as its owner sees it: never with the key. */
export const toConnection = (row: ConnectionRow): Connection => ({
  id: row.id,
  preset: row.preset,
  name: row.name,
  baseUrl: row.base_url,
  hasKey: row.key_sealed !== null,
  keyLast4: row.key_last4,
  api: row.api,
  firstTokenSeconds: row.first_token_seconds,
  isPaused: row.is_paused === 1,
  notice: row.notice,
  checks: parseChecks(row.checks),
  checkedAt: row.checked_at,
  createdAt: row.created_at,
});
