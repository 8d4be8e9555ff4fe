import { type NewToolResources, ToolResources } from '@roster/contracts/public-api/assistants/tools';
import type { StoreDraft } from '@roster/contracts/public-api/vector-stores';
import { StoreChangedError } from '#server/conversation/errors';
import type { SearchedStore } from '#server/features/chat/api-threads/messages';
import type { FileIds } from '#server/features/public-api/files/file-ids';
import { PublicApiError, resourceNotFound } from '#server/http/public-api/errors';
import { AppError } from '#server/lib/errors';

type VectorStores = {
  create: (userId: number, draft: StoreDraft) => Promise<{ id: string }>;
  remove: (userId: number, id: string) => Promise<unknown>;
  /** Resolves to false if the provider has no vector stores. */
  isServed: (userId: number) => Promise<boolean>;
  has: (userId: number, id: string) => Promise<boolean>;
  hasFile: (userId: number, id: string, fileId: string) => Promise<boolean>;
  addFile: (userId: number, id: string, file: { file_id: string }) => Promise<unknown>;
  removeFile: (userId: number, id: string, fileId: string) => Promise<unknown>;
  /** @throws 404 if one of them is not the user's */
  check: (userId: number, ids: string[]) => Promise<void>;
};

type Files = Pick<FileIds, 'numbersOf' | 'named'>;

/** Days after its last use at which a store made for attachments expires, as at the provider. */
const attachedForDays = 7;
/** Limits the retries of one call while others change the thread’s store. */
const maxAttempts = 3;

/** Distinct numeric ids, in order. */
export const numbersIn = (names: readonly string[], numbers: ReadonlyMap<string, number>): number[] => [
  ...new Set(names.flatMap((name) => numbers.get(name) ?? [])),
];

/** Stored resources of a thread; null if it has none. */
export const readResources = ({ toolResources }: { toolResources: unknown }): ToolResources | null =>
  ToolResources.safeParse(toolResources).data ?? null;

/** Runs `work` with a new vector store, which is deleted again if the work is refused. */
async function withStore<T>(
  vectorStores: VectorStores,
  userId: number,
  draft: StoreDraft,
  work: (storeId: string) => Promise<T>,
): Promise<T> {
  const { id } = await vectorStores.create(userId, draft);
  try {
    return await work(id);
  } catch (error) {
    // After any other failure the store may already be in use.
    if (error instanceof AppError) await vectorStores.remove(userId, id);
    throw error;
  }
}

/**
 * Runs `work` with these files in an existing store; files that were not in it are removed again if the work is
 * refused.
 */
async function withFiles<T>(
  vectorStores: VectorStores,
  userId: number,
  { storeId, files }: { storeId: string; files: readonly string[] },
  work: () => Promise<T>,
): Promise<T> {
  const added: string[] = [];
  try {
    for (const file_id of files) {
      if (await vectorStores.hasFile(userId, storeId, file_id)) continue;
      await vectorStores.addFile(userId, storeId, { file_id });
      added.push(file_id);
    }
    return await work();
  } catch (error) {
    if (error instanceof AppError) for (const id of added) await vectorStores.removeFile(userId, storeId, id);
    throw error;
  }
}

async function attachOnce<T>(
  vectorStores: VectorStores,
  userId: number,
  files: readonly string[],
  resources: ToolResources | null,
  work: (kept: ToolResources | null, store: SearchedStore | null) => Promise<T>,
): Promise<T> {
  const [before = null] = resources?.file_search?.vector_store_ids ?? [];
  if (before !== null && (await vectorStores.has(userId, before)))
    return withFiles(vectorStores, userId, { storeId: before, files }, () => work(resources, { id: before, before }));
  const expires_after = { anchor: 'last_active_at' as const, days: attachedForDays };
  return withStore(vectorStores, userId, { file_ids: [...files], expires_after }, (id) =>
    work({ ...resources, file_search: { vector_store_ids: [id] } }, { id, before }),
  );
}

/**
 * Runs `work` after adding the files that messages attach for file_search to the vector store of their thread, which is
 * created if missing. If the provider has no vector stores, a file only goes to the model, like any other attachment.
 */
function attachingIn(vectorStores: VectorStores) {
  return async function attaching<T>(
    userId: number,
    messages: readonly { searchedFiles: string[] }[],
    resourcesOfThread: () => Promise<ToolResources | null>,
    work: (kept: ToolResources | null, store: SearchedStore | null) => Promise<T>,
  ): Promise<T> {
    const files = [...new Set(messages.flatMap(({ searchedFiles }) => searchedFiles))];
    if (files.length === 0 || !(await vectorStores.isServed(userId))) return work(await resourcesOfThread(), null);
    for (let attempt = 1; ; attempt++) {
      try {
        return await attachOnce(vectorStores, userId, files, await resourcesOfThread(), work);
      } catch (error) {
        if (!(error instanceof StoreChangedError) || attempt === maxAttempts) throw error;
      }
    }
  };
}

/**
 * Tool resources in their stored form; each must belong to the user. Files have Roster's ids, because the provider's
 * change when it loses a file.
 */
export function createStoredResources(fileIds: Files, vectorStores: VectorStores) {
  async function checked(userId: number, given: NewToolResources): Promise<ToolResources> {
    const named = given.code_interpreter?.file_ids ?? [];
    const own = await fileIds.numbersOf(userId, named);
    const missing = named.find((id) => !own.has(id));
    if (missing !== undefined) throw resourceNotFound('file', missing);
    const nameOf = await fileIds.named();
    const { vector_store_ids: stores = [], vector_stores: drafts = [] } = given.file_search ?? {};
    if (stores.length > 0 && drafts.length > 0)
      throw new PublicApiError('invalid_input', 'Name a vector store or have one created, not both.', {
        param: 'tool_resources.file_search',
      });
    await vectorStores.check(userId, stores);
    return {
      ...(given.code_interpreter && { code_interpreter: { file_ids: numbersIn(named, own).map(nameOf) } }),
      ...(given.file_search && { file_search: { vector_store_ids: stores } }),
    };
  }

  return {
    checked,
    attaching: attachingIn(vectorStores),
    /** Runs `work` with the stored form, and creates what the request asks for. Null and undefined pass unchanged. */
    async using<T, None extends null | undefined>(
      userId: number,
      given: NewToolResources | None,
      work: (kept: ToolResources | None) => Promise<T>,
    ): Promise<T> {
      if (!given) return work(given);
      const kept = await checked(userId, given);
      // The contract allows at most one.
      const [draft] = given.file_search?.vector_stores ?? [];
      if (!draft) return work(kept);
      return withStore(vectorStores, userId, draft, (id) => work({ ...kept, file_search: { vector_store_ids: [id] } }));
    },
  };
}
export type StoredResources = ReturnType<typeof createStoredResources>;

/** Tool resources as clients see them, for several objects of one user. Files deleted since are left out. */
export function createPublicResources(fileIds: Files) {
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

export type PublicResources = ReturnType<typeof createPublicResources>;
