import { modelRetirement } from '@roster/contracts/models/retirement';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** The models in use that end soon or have ended. No provider is asked for it. */
export const retirementQuery = queryOptions({
  queryKey: ['models', 'life'],
  queryFn: async ({ signal }) => (await call(modelRetirement.list, {}, signal)).items,
  staleTime: 60_000,
});
