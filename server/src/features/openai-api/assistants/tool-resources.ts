import type { NewToolResources, ToolResources } from '@roster/contracts/openai-api/assistants/tools';
import type { StoreDraft } from '@roster/contracts/openai-api/vector-stores';
import type { FileIds } from '#server/features/openai-api/files/file-ids';
import { ApiRefusal, noSuchThing } from '#server/http/api-errors';

type Dependencies = {
  fileIds: Pick<FileIds, 'numbersOf'>;
  vectorStores: {
    create: (userId: number, draft: StoreDraft) => Promise<{ id: string }>;
    /** @throws 404 where one of them is none of theirs */
    check: (userId: number, ids: string[]) => Promise<void>;
  };
};

/**
 * What tools may use, as it is kept: the ids as the program has written them, each of which has to be its person's own. A
 * vector store that is to be made along with it is made here.
 */
export function toolResourceCheck({ fileIds, vectorStores }: Dependencies) {
  return async function checked(userId: number, given: NewToolResources): Promise<ToolResources> {
    const named = given.code_interpreter?.file_ids ?? [];
    const own = await fileIds.numbersOf(userId, named);
    const missing = named.find((id) => !own.has(id));
    if (missing !== undefined) throw noSuchThing('file', missing);
    const { vector_store_ids: stores = [], vector_stores: drafts = [] } = given.file_search ?? {};
    if (stores.length > 0 && drafts.length > 0)
      throw new ApiRefusal('invalid_input', 'Name a vector store, or have one made, not both.', {
        param: 'tool_resources.file_search',
      });
    await vectorStores.check(userId, stores);
    const made: string[] = [];
    for (const draft of drafts) made.push((await vectorStores.create(userId, draft)).id);
    return {
      ...(given.code_interpreter && { code_interpreter: { file_ids: named } }),
      ...(given.file_search && { file_search: { vector_store_ids: [...stores, ...made] } }),
    };
  };
}

export type ToolResourceCheck = ReturnType<typeof toolResourceCheck>;
