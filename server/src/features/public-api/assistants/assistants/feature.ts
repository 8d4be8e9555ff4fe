import type { Assistant } from '@roster/contracts/assistants/assistants';
import { type ApiAssistant, apiAssistants as api } from '@roster/contracts/public-api/assistants/assistants';
import type { ApiAssistants } from '#server/features/assistants/api-assistants';
import type { ApiFields } from '#server/features/assistants/shared/api-fields-repository';
import type { PublicResources, StoredResources } from '#server/features/public-api/assistants/tool-resources';
import {
  mergeStoredFields,
  newSettings,
  readFields,
  type StoredFields,
  shownName,
  shownTools,
  toSettings,
} from '#server/features/public-api/shared/assistant-fields';
import type { AssistantModels } from '#server/features/public-api/shared/assistant-models';
import { listAnswer, numberedPage, unixSeconds } from '#server/features/public-api/shared/list';
import { resourceNotFound } from '#server/http/public-api/errors';
import type { PublicApiRouter } from '#server/http/public-api/router';

type Dependencies = {
  assistants: ApiAssistants;
  assistantModels: Pick<AssistantModels, 'list' | 'find'>;
  keptResources: StoredResources;
  shownResources: PublicResources;
};

type StoredAssistant = { assistant: Assistant; fields: ApiFields | undefined };

function objectOf(
  id: string,
  { assistant }: StoredAssistant,
  kept: StoredFields,
  tool_resources: ApiAssistant['tool_resources'],
): ApiAssistant {
  const { metadata, top_p, response_format } = kept;
  return {
    id,
    object: 'assistant',
    created_at: unixSeconds(assistant.createdAt),
    name: shownName(assistant.name, kept),
    description: assistant.description || null,
    model: assistant.model,
    instructions: assistant.instructions || null,
    tools: shownTools(kept, assistant),
    ...{ tool_resources, metadata, top_p, response_format },
    temperature: assistant.temperature,
    reasoning_effort: assistant.reasoningEffort,
  };
}

/** Roster's own assistants. An imported one is known by its original id. */
export function apiAssistantFeature(dependencies: Dependencies) {
  const { assistants, assistantModels, keptResources, shownResources } = dependencies;
  async function numberOf(userId: number, id: string): Promise<number> {
    const found = id.startsWith('asst_') ? await assistantModels.find(userId, id) : undefined;
    if (!found) throw resourceNotFound('assistant', id);
    return found.assistantId;
  }

  async function shown(userId: number, named: { id: string; one: StoredAssistant }[]): Promise<ApiAssistant[]> {
    const kept = named.map(({ one }) => readFields(one.fields));
    const resources = await shownResources(
      userId,
      kept.map(({ tool_resources }) => tool_resources),
    );
    return named.flatMap(({ id, one }, index) => {
      const fields = kept[index];
      return fields ? [objectOf(id, one, fields, resources[index] ?? {})] : [];
    });
  }

  async function objectsOf(userId: number, list: StoredAssistant[]): Promise<ApiAssistant[]> {
    const ids = new Map((await assistantModels.list(userId)).map(({ assistantId, id }) => [assistantId, id]));
    // An assistant deleted meanwhile is left out.
    const named = list.flatMap((one) => {
      const id = ids.get(one.assistant.id);
      return id === undefined ? [] : [{ id, one }];
    });
    return shown(userId, named);
  }

  async function objectIn(userId: number, id: string, one: StoredAssistant | undefined): Promise<ApiAssistant> {
    const [object] = one ? await shown(userId, [{ id, one }]) : [];
    if (!object) throw resourceNotFound('assistant', id);
    return object;
  }

  return {
    apiRoutes({ route }: PublicApiRouter) {
      route(api.create, async ({ caller, body }) => {
        const made = await keptResources.using(caller.userId, body.tool_resources, (tool_resources) => {
          const given = { ...body, tool_resources };
          return assistants.create(caller, newSettings(given), mergeStoredFields({ name: null }, given));
        });
        const [object] = await objectsOf(caller.userId, [made]);
        if (!object) throw resourceNotFound('assistant', '');
        return object;
      });
      route(api.list, async ({ caller: { userId }, query }) => {
        const all = await assistantModels.list(userId);
        const numbers = new Map(all.map(({ assistantId, id }) => [id, assistantId]));
        const { limit, ...page } = numberedPage(query, 'assistant', (id) => numbers.get(id));
        const found = await assistants.page(userId, { ...page, count: limit + 1 });
        return listAnswer(await objectsOf(userId, found), limit, page.isBack);
      });
      route(api.get, async ({ caller: { userId }, params: { id } }) => {
        return objectIn(userId, id, await assistants.find(userId, await numberOf(userId, id)));
      });
      route(api.modify, async ({ caller, params: { id }, body }) => {
        const number = await numberOf(caller.userId, id);
        const { tool_resources: named } = body;
        const given = { ...body, tool_resources: named && (await keptResources.checked(caller.userId, named)) };
        const after = (before: ApiFields) => mergeStoredFields(before, given);
        const changed = await assistants.change(caller, number, ({ tools }) => toSettings(given, tools), after);
        return objectIn(caller.userId, id, changed);
      });
      route(api.remove, async ({ caller, params: { id } }) => {
        const removed = await assistants.remove(caller, await numberOf(caller.userId, id));
        if (!removed) throw resourceNotFound('assistant', id);
        return { id, object: 'assistant.deleted' as const, deleted: true as const };
      });
    },
  };
}
