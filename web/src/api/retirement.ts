import { modelRetirement } from '@roster/contracts/models/retirement';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** Models in use that retire soon or have been retired. Does not call the provider. */
export const retirementQuery = queryOptions({
  queryKey: ['models', 'life'],
  queryFn: async ({ signal }) => (await call(modelRetirement.list, {}, signal)).items,
  staleTime: 60_000,
});
