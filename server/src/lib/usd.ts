/**
 * A sum of USD without the digits that adding binary fractions leaves: ten times 0.1 is 1, so that a budget ends exactly
 * at its limit. Prices of single tokens are kept.
 */
export const roundUsd = (usd: number): number => Math.round(usd * 1e10) / 1e10;
