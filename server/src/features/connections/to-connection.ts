import type { Connection, OfferedConnection } from '@roster/contracts/connections/connections';
import { roundUsd } from '#server/lib/usd';
import type { ConnectionRepository, ConnectionRow } from '#server/provider/connections/connection-repository';
import { isUsedUp } from '#server/provider/connections/offer-budget';
import { parseChecks, parseHeaderNames } from './repository.ts';

/** A connection as its owner sees it: never with the key or the values of headers. */
export const toConnection = (row: ConnectionRow): Connection => ({
  id: row.id,
  preset: row.preset,
  name: row.name,
  baseUrl: row.base_url,
  hasKey: row.key_sealed !== null,
  keyLast4: row.key_last4,
  headerNames: parseHeaderNames(row.header_names),
  api: row.api,
  firstTokenSeconds: row.first_token_seconds,
  isPaused: row.is_paused === 1,
  notice: row.notice,
  checks: parseChecks(row.checks),
  checkedAt: row.checked_at,
  createdAt: row.created_at,
});

type OfferedRow = Awaited<ReturnType<ConnectionRepository['listOffered']>>[number];

/** An offered connection as people see it who may use it: nothing of its key, its address or others' spending. */
export function toOffered({ id, preset, name, own, total, ...limits }: OfferedRow): OfferedConnection {
  const spent = { own: roundUsd(own), total: roundUsd(total) };
  return {
    ...{ id, preset, name, monthlyUsd: limits.monthly_usd_per_person, spentUsd: spent.own },
    isUsedUp: isUsedUp({ perPerson: limits.monthly_usd_per_person, total: limits.monthly_usd_total }, spent),
  };
}
