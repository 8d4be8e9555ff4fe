import type { AssistantLabel } from '#server/features/assistants/shared/repository';
import type { Ids } from './ids.ts';

const suffix = '@roster';

/** OpenAI id of an imported assistant, which clients may still use. */
const isOldId = (id: string | null): id is string => id !== null && /^asst_[A-Za-z0-9]{1,64}$/.test(id);

/** An assistant that clients can name as a model. */
export type AssistantModel = {
  assistantId: number;
  name: string;
  id: string;
  createdAt: string;
  alias: string | undefined;
};

/** Lists assistants as models: by imported or Roster id, and by name if no other assistant has it. */
export function assistantModels(ids: () => Promise<Ids>, labels: (userId: number) => Promise<AssistantLabel[]>) {
  async function list(userId: number): Promise<AssistantModel[]> {
    const [{ encode }, all] = [await ids(), await labels(userId)];
    const named = new Map<string, number>();
    const oldIds = new Map<string, number>();
    for (const { id, name, openaiAssistantId } of all) {
      named.set(name, (named.get(name) ?? 0) + 1);
      // If it was imported twice, the older assistant has the id.
      if (isOldId(openaiAssistantId)) oldIds.set(openaiAssistantId, Math.min(id, oldIds.get(openaiAssistantId) ?? id));
    }
    return all.map(({ id: assistantId, name, openaiAssistantId, createdAt }) => ({
      assistantId,
      name,
      id:
        isOldId(openaiAssistantId) && oldIds.get(openaiAssistantId) === assistantId
          ? openaiAssistantId
          : encode('asst', assistantId),
      createdAt,
      alias: named.get(name) === 1 ? `${name}${suffix}` : undefined,
    }));
  }

  return {
    list,
    /** True for names that can only mean an assistant. */
    isNamed: (model: string) => model.startsWith('asst_') || model.endsWith(suffix),
    async find(userId: number, model: string): Promise<AssistantModel | undefined> {
      const all = await list(userId);
      const byId = all.find(({ id, alias }) => id === model || alias === model);
      if (byId) return byId;
      // An assistant with an imported id is also known by its Roster id.
      const decoded = (await ids()).decode('asst', model);
      return all.find(({ assistantId }) => assistantId === decoded);
    },
  };
}

export type AssistantModels = ReturnType<typeof assistantModels>;
