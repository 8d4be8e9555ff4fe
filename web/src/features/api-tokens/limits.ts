import type { AccessToken } from '@roster/contracts/api-tokens';

export const hasExpired = ({ expiresAt }: AccessToken) => expiresAt !== null && Date.parse(expiresAt) <= Date.now();

export const isBudgetUsedUp = ({ monthlyBudgetUsd, spentUsd }: AccessToken) =>
  monthlyBudgetUsd !== null && spentUsd >= monthlyBudgetUsd;
