import type { AssistantLabel } from '#server/features/assistants/shared/repository';
import type { Ids } from './ids.ts';

const suffix = '@roster';

/** What an imported assistant was called where it came from, if programs can name it so. */
const isOldId = (id: string | null): id is string => id !== null && /^asst_[A-Za-z0-9]{1,64}$/.test(id);

/** An assistant in a model's place. */
export type AssistantModel = {
  assistantId: number;
  name: string;
  id: string;
  createdAt: string;
  alias: string | undefined;
};

type Dependencies = { ids: () => Promise<Ids>; labels: (userId: number) => Promise<AssistantLabel[]> };

/** Assistants as models: by the id that they came with or one of ours, and by their name where no other has it. */
export function assistantModels({ ids, labels }: Dependencies) {
  async function list(userId: number): Promise<AssistantModel[]> {
    const [{ encode }, all] = [await ids(), await labels(userId)];
    const named = new Map<string, number>();
    const oldIds = new Map<string, number>();
    for (const { id, name, openaiAssistantId } of all) {
      named.set(name, (named.get(name) ?? 0) + 1);
      // Imported twice, the older one has it.
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
    /** Whether a model's name can only mean an assistant. */
    isNamed: (model: string) => model.startsWith('asst_') || model.endsWith(suffix),
    async find(userId: number, model: string): Promise<AssistantModel | undefined> {
      const all = await list(userId);
      const byId = all.find(({ id, alias }) => id === model || alias === model);
      if (byId) return byId;
      // One that keeps its old id is known by ours too.
      const decoded = (await ids()).decode('asst', model);
      return all.find(({ assistantId }) => assistantId === decoded);
    },
  };
}

export type AssistantModels = ReturnType<typeof assistantModels>;
