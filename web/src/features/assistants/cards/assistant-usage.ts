import { usage } from '@roster/contracts/usage/usage';
import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import { call } from '#web/lib/api-client.ts';

export type AssistantUsage = z.output<typeof usage.assistants.output>[number];

/** When each assistant was last used, and what this month has cost. */
export const assistantUsageQuery = queryOptions({
  queryKey: ['usage', 'assistants'],
  queryFn: async ({ signal }) => {
    const list = await call(usage.assistants, {}, signal);
    return new Map(list.map((one) => [one.assistantId, one]));
  },
  refetchOnMount: 'always',
});
