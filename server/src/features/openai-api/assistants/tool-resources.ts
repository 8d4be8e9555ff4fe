import type { NewToolResources, ToolResources } from '@roster/contracts/openai-api/assistants/tools';
import type { StoreDraft } from '@roster/contracts/openai-api/vector-stores';
import { AppError } from '#server/errors';
import type { FileIds } from '#server/features/openai-api/files/file-ids';
import { ApiRefusal, noSuchThing } from '#server/http/api-errors';

type Dependencies = {
  fileIds: Pick<FileIds, 'numbersOf' | 'named'>;
  vectorStores: {
    create: (userId: number, draft: StoreDraft) => Promise<{ id: string }>;
    remove: (userId: number, id: string) => Promise<unknown>;
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
 * it loses one.
 */
export function keptToolResources({ fileIds, vectorStores }: Dependencies) {
  async function checked(userId: number, given: NewToolResources): Promise<ToolResources> {
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
    return {
      ...(given.code_interpreter && { code_interpreter: { file_ids: numbersIn(named, own).map(nameOf) } }),
      ...(given.file_search && { file_search: { vector_store_ids: stores } }),
    };
  }

  /** Does `work` with a vector store that is made along with it, and goes again where the work is refused. */
  async function withStore<T>(userId: number, draft: StoreDraft, work: (storeId: string) => Promise<T>): Promise<T> {
    const { id } = await vectorStores.create(userId, draft);
    try {
      return await work(id);
    } catch (error) {
      // Of any other failure it is not known whether something names the store by now.
      if (error instanceof AppError) await vectorStores.remove(userId, id);
      throw error;
    }
  }

  return {
    checked,
    /** Does `work` with them as they are kept, with what is to be made along. What names none stays as it is: null, or nothing. */
    async using<T, None extends null | undefined>(
      userId: number,
      given: NewToolResources | None,
      work: (kept: ToolResources | None) => Promise<T>,
    ): Promise<T> {
      if (!given) return work(given);
      const kept = await checked(userId, given);
      // The contract takes one at most.
      const [draft] = given.file_search?.vector_stores ?? [];
      if (!draft) return work(kept);
      return withStore(userId, draft, (id) => work({ ...kept, file_search: { vector_store_ids: [id] } }));
    },
  };
}
export type KeptToolResources = ReturnType<typeof keptToolResources>;

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
