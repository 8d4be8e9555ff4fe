import type { UsageRequest } from '@roster/contracts/usage/usage';
import { fixtureDate } from './new-account.ts';

export const requestOf = (more: Partial<UsageRequest>): UsageRequest => ({
  id: 1,
  at: fixtureDate,
  model: 'gpt-4o',
  purpose: 'chat',
  assistant: null,
  accessToken: null,
  thread: { id: 3, title: 'Keys' },
  comparisonId: null,
  jobId: null,
  inputTokens: 20,
  cachedTokens: 0,
  outputTokens: 100,
  reasoningTokens: 0,
  costUsd: 0.0011,
  serviceTier: null,
  estimated: false,
  ...more,
});
