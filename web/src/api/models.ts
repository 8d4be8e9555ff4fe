import { type Model, models } from '@roster/contracts/models/models';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** Models that the saved key can use. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => call(models.list, {}, signal),
  staleTime: 5 * 60_000,
});

/**
 * Built-in tools that a model is known to lack; null is the default model. Refetched, since answers reveal
 * more.
 */
export const toolSupportQuery = (model: string | null) =>
  queryOptions({
    queryKey: ['models', 'tools', model],
    queryFn: ({ signal }) => call(models.tools, { query: model === null ? {} : { model } }, signal),
    refetchOnMount: 'always',
  });

export const findModel = (list: readonly Model[] | undefined, id: string): Model | undefined =>
  list?.find((model) => model.id === id);
