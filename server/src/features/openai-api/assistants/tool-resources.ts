import type { NewToolResources, ToolResources } from '@roster/contracts/openai-api/assistants/tools';
import type { StoreDraft } from '@roster/contracts/openai-api/vector-stores';
import type { FileIds } from '#server/features/openai-api/files/file-ids';
import { ApiRefusal, noSuchThing } from '#server/http/api-errors';

type Dependencies = {
  fileIds: Pick<FileIds, 'numbersOf' | 'named'>;
  vectorStores: {
    create: (userId: number, draft: StoreDraft) => Promise<{ id: string }>;
    /** @throws 404 where one of them is none of theirs */
    check: (userId: number, ids: string[]) => Promise<void>;
  };
};

/** Each once, in their order. */
export const numbersIn = (names: readonly string[], known: ReadonlyMap<string, number>): number[] => [
  ...new Set(names.flatMap((name) => known.get(name) ?? [])),
];

/**
 * What tools may use, as it is kept: each has to be its person's own. Files have Roster's ids, since the provider's change when
 * it loses one. A vector store that is to be made along with it is made here.
 */
export function toolResourceCheck({ fileIds, vectorStores }: Dependencies) {
  return async function checked(userId: number, given: NewToolResources): Promise<ToolResources> {
    const named = given.code_interpreter?.file_ids ?? [];
    const own = await fileIds.numbersOf(userId, named);
    const missing = named.find((id) => !own.has(id));
    if (missing !== undefined) throw noSuchThing('file', missing);
    const nameOf = await fileIds.named();
    const { vector_store_ids: stores = [], vector_stores: drafts = [] } = given.file_search ?? {};
    if (stores.length > 0 && drafts.length > 0)
      throw new ApiRefusal('invalid_input', 'Name a vector store, or have one made, not both.', {
        param: 'tool_resources.file_search',
      });
    await vectorStores.check(userId, stores);
    const made: string[] = [];
    for (const draft of drafts) made.push((await vectorStores.create(userId, draft)).id);
    return {
      ...(given.code_interpreter && { code_interpreter: { file_ids: numbersIn(named, own).map(nameOf) } }),
      ...(given.file_search && { file_search: { vector_store_ids: [...stores, ...made] } }),
    };
  };
}

export type ToolResourceCheck = ReturnType<typeof toolResourceCheck>;

/** The same as it is shown, of several things of one person: files that have been deleted since are left out. */
export function shownToolResources({ fileIds }: Pick<Dependencies, 'fileIds'>) {
  return async function shown(userId: number, all: ToolResources[]): Promise<ToolResources[]> {
    const named = all.flatMap(({ code_interpreter: code }) => code?.file_ids ?? []);
    if (named.length === 0) return all;
    const [there, nameOf] = [await fileIds.numbersOf(userId, named), await fileIds.named()];
    return all.map(({ code_interpreter: code, ...others }) => {
      if (!code?.file_ids) return { ...others, ...(code && { code_interpreter: code }) };
      return { ...others, code_interpreter: { file_ids: numbersIn(code.file_ids, there).map(nameOf) } };
    });
  };
}

export type ShownToolResources = ReturnType<typeof shownToolResources>;
