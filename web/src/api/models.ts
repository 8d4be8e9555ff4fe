import { type Model, models } from '@roster/contracts/models/models';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** The models that the saved key can use. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => call(models.list, {}, signal),
  staleTime: 5 * 60_000,
});

/** Which tools of the provider a model is known not to have; null: of the default model. Asked again, as answers teach more of it. */
export const toolSupportQuery = (model: string | null) =>
  queryOptions({
    queryKey: ['models', 'tools', model],
    queryFn: ({ signal }) => call(models.tools, { query: model === null ? {} : { model } }, signal),
    refetchOnMount: 'always',
  });

/** What is known of one model id. */
export const findModel = (list: readonly Model[] | undefined, id: string): Model | undefined =>
  list?.find((model) => model.id === id);
