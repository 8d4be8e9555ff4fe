import type { NewToolResources, ToolResources } from '@roster/contracts/openai-api/assistants/tools';
import type { FileIds } from '#server/features/openai-api/files/file-ids';
import type { Ids } from '#server/features/openai-api/ids';
import { ApiRefusal, noSuchThing } from '#server/http/api-errors';

type Dependencies = { ids: () => Promise<Ids>; fileIds: Pick<FileIds, 'numbersOf'> };

/**
 * What tools may use, as it is kept: the ids as the program has written them, each of which has to be its person's own.
 * @throws noSuchThing
 */
export function toolResourceCheck({ ids, fileIds }: Dependencies) {
  return async function checked(userId: number, given: NewToolResources): Promise<ToolResources> {
    const named = given.code_interpreter?.file_ids ?? [];
    const own = await fileIds.numbersOf(userId, named);
    const missing = named.find((id) => !own.has(id));
    if (missing !== undefined) throw noSuchThing('file', missing);
    const { vector_store_ids: stores = [], vector_stores: made = [] } = given.file_search ?? {};
    if (made.length > 0)
      throw new ApiRefusal(
        'invalid_input',
        'Make the vector store first (POST /v1/vector_stores), then name it in vector_store_ids.',
        { param: 'tool_resources.file_search.vector_stores', code: 'unsupported_value' },
      );
    const { decode } = await ids();
    const unknown = stores.find((id) => decode('vs', id) === undefined);
    if (unknown !== undefined) throw noSuchThing('vector store', unknown);
    return {
      ...(given.code_interpreter && { code_interpreter: { file_ids: named } }),
      ...(given.file_search && { file_search: { vector_store_ids: stores } }),
    };
  };
}

export type ToolResourceCheck = ReturnType<typeof toolResourceCheck>;
