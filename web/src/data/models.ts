import { type Model, models } from '@roster/contracts/models';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api.ts';

/** The models that the saved key can use. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => call(models.list, {}, signal),
  staleTime: 5 * 60_000,
});

/** What is known of one model id. */
export const findModel = (list: readonly Model[] | undefined, id: string): Model | undefined =>
  list?.find((model) => model.id === id);
