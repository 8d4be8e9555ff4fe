/** The sum of the known costs; null if there are rows, but none has a known cost. */
export function knownCost(rows: readonly { costUsd: number | null }[]): number | null {
  const known = rows.flatMap(({ costUsd }) => costUsd ?? []);
  return rows.length > 0 && known.length === 0 ? null : known.reduce((sum, usd) => sum + usd, 0);
}
