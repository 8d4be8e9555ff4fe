import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { ConnectionModels } from '@roster/contracts/models/models';
import { type ApiModel, apiModels as api } from '@roster/contracts/public-api/models';
import type { Config } from '#server/config/config';
import type { ModelService } from '#server/features/models/service';
import type { AssistantModel, AssistantModels } from '#server/features/public-api/shared/assistant-models';
import { apiModelName } from '#server/features/public-api/shared/model-names';
import { PublicApiError } from '#server/http/public-api/errors';
import type { PublicApiRouter } from '#server/http/public-api/router';
import type { ProviderModel } from '#server/provider/provider';

type Dependencies = {
  config: Pick<Config, 'provider'>;
  models: Pick<ModelService, 'list' | 'lately' | 'others'>;
  assistantModels: AssistantModels;
};

type ListedModel = Pick<ProviderModel, 'id' | 'created' | 'ownedBy'>;

/** Worded like the provider's, because clients may match it. */
export const noModel = (model: string) =>
  new PublicApiError(
    'not_found',
    `The model '${model.slice(0, 200)}' does not exist or you do not have access to it.`,
    {
      param: 'model',
      code: 'model_not_found',
    },
  );

const ofAssistant = (id: string, createdAt: string): ApiModel => ({
  id,
  object: 'model',
  created: Math.floor(Date.parse(createdAt) / 1000),
  owned_by: 'roster',
});

const ofConnection = (name: string, model: string): ApiModel => ({
  id: apiModelName(name, model),
  object: 'model',
  created: 0,
  owned_by: name,
});

/** A name that is both the user's own and an offered connection's means the user's own, which comes first. */
const firstOfName = (all: ConnectionModels[]) =>
  [...new Map(all.toReversed().map((one) => [one.name, one])).values()].reverse();

/** Values that clients can send as `model`. */
export function apiModelFeature({ config, models, assistantModels }: Dependencies) {
  const described = ({ id, created = 0, ownedBy = config.provider.name }: ListedModel): ApiModel => ({
    id,
    object: 'model',
    created,
    owned_by: ownedBy,
  });

  /**
   * The models for chat come first, as clients choose the first one. Nothing is invented: without the provider's list
   * there are only assistants.
   */
  async function ofKey(userId: number): Promise<ApiModel[]> {
    const list = await models.list(userId);
    const others = firstOfName(list.connections).flatMap(({ id: connectionId, name, models: all }) => [
      ...all.map(({ id }) => ofConnection(name, modelIdOf(id))),
      ...models.others(userId, connectionId).map(({ id }) => ofConnection(name, id)),
    ]);
    if (list.source === 'unknown') return others;
    const listed = new Map<string, ListedModel>(models.lately(userId)?.map((model) => [model.id, model]));
    const own = list.models.map(({ id }) => described(listed.get(id) ?? { id }));
    return [...own, ...models.others(userId, null).map(described), ...others];
  }

  const ofAssistants = (all: AssistantModel[]) => [
    ...all.map(({ id, createdAt }) => ofAssistant(id, createdAt)),
    ...all.flatMap(({ alias, createdAt }) => (alias === undefined ? [] : [ofAssistant(alias, createdAt)])),
  ];

  return {
    apiRoutes({ route }: PublicApiRouter) {
      route(api.list, async ({ caller: { userId } }) => {
        const assistants = ofAssistants(await assistantModels.list(userId));
        return { object: 'list' as const, data: [...assistants, ...(await ofKey(userId))] };
      });
      route(api.get, async ({ caller: { userId }, params: { '*': model } }) => {
        if (model === '')
          throw new PublicApiError('invalid_input', 'The URL does not name a model. GET /v1/models lists them.', {
            param: 'model',
          });
        if (assistantModels.isNamed(model)) {
          const assistant = await assistantModels.find(userId, model);
          if (!assistant) throw noModel(model);
          return ofAssistant(model, assistant.createdAt);
        }
        const found = (await ofKey(userId)).find(({ id }) => id === model);
        if (!found) throw noModel(model);
        return found;
      });
    },
  };
}
