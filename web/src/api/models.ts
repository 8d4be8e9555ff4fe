import { connectionIdOf } from '@roster/contracts/models/model-reference';
import { type Model, type ModelList, models } from '@roster/contracts/models/models';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';
import { rememberConnections } from './model-names.ts';

/** Models that the saved keys can use. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: async ({ signal }) => {
    const list = await call(models.list, {}, signal);
    rememberConnections(list);
    return list;
  },
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

/** The models of the installation's provider and of all connections. */
export const allModels = (list: ModelList | undefined): Model[] =>
  list ? [...list.models, ...list.connections.flatMap((connection) => connection.models)] : [];

export const findModel = (list: ModelList | undefined, id: string): Model | undefined =>
  allModels(list).find((model) => model.id === id);

/** True if the saved keys are known not to have the model. */
export function isModelMissing(list: ModelList | undefined, id: string): boolean {
  if (!list || findModel(list, id)) return false;
  const connectionId = connectionIdOf(id);
  if (connectionId === null) return list.source === 'provider';
  const connection = list.connections.find((one) => one.id === connectionId);
  return connection === undefined || connection.notice === null;
}

/** True if the models of the installation's provider are unknown, so that any id may be valid. */
export const acceptsAnyModel = (list: ModelList | undefined): boolean =>
  list?.source === 'unknown' && list.models.every(({ tuned }) => tuned);
