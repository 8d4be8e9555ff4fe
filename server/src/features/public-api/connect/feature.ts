import { connect as api } from '@roster/contracts/connect';
import type { Feature } from '#server/features/feature';
import type { AssistantModels } from '#server/features/public-api/shared/assistant-models';

/** For the page that shows how to call an assistant by API. */
export const connectFeature = (assistantModels: Pick<AssistantModels, 'list'>): Feature => ({
  routes({ route }) {
    route(api.assistants, async ({ actor }) =>
      (await assistantModels.list(actor.userId)).map(({ assistantId, name, id, alias }) => ({
        id: assistantId,
        name,
        model: id,
        alias: alias ?? null,
      })),
    );
  },
});
