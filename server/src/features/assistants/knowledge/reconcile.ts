import { providerIn } from '@roster/contracts/provider-name';
import { whyNotSearchable } from '@roster/contracts/searchable-files';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { Provider } from '#server/provider/provider';
import type { IndexedFile } from '#server/provider/vector-stores';
import type { Secret } from '#server/security/secret';
import { openStore } from './open-store.ts';
import { type Change, type KnowledgeFile, knowledgeRepository } from './repository.ts';
import type { VectorStore } from './store-repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  provider: Pick<Provider, 'vectorStores'>;
  keys: { open: (userId: number) => Promise<Secret> };
  files: { checkAtProvider: (userId: number) => Promise<void> };
  providerName: string;
};

const lostAtProvider = 'The provider does not have this file any more. It is being sent again.';

export const notServed = (providerName: string) =>
  `${providerIn('beginning', providerName)} has no file search. The file stays with the assistant, which answers without it.`;

/** Its id at the provider; null while the provider does not have it. */
const fileIdOf = ({ copy, filename }: KnowledgeFile): string | null =>
  copy?.state === 'ready' && whyNotSearchable(filename) === undefined ? copy.providerFileId : null;

/** Writes only what is new. */
export async function settle(db: Kysely<Database>, row: KnowledgeFile, to: Change) {
  const isSame = row.state === to.state && row.error === to.error && row.indexedFileId === to.indexedFileId;
  if (!isSame) await knowledgeRepository(db).change(row, to);
}

/** The state of a file without a provider copy, which therefore cannot be in the store. undefined: it has a copy. */
function withoutCopy(row: KnowledgeFile, providerName: string): Change | undefined {
  const { copy, filename } = row;
  const reason = whyNotSearchable(filename);
  if (reason !== undefined) return { state: 'failed', error: reason, indexedFileId: null };
  if (fileIdOf(row) !== null) return undefined;
  if (copy?.state === 'not_served') return { state: 'not_served', error: notServed(providerName), indexedFileId: null };
  if (copy?.state === 'failed') return { state: 'failed', error: copy.error, indexedFileId: null };
  return { state: 'waiting', error: null, indexedFileId: null };
}

/** The file's entry in the store, added where it is missing. undefined: it failed before, and no retry was asked for. */
async function entryOf(
  vectorStores: Provider['vectorStores'],
  apiKey: Secret,
  storeId: string,
  row: KnowledgeFile,
  fileId: string,
  listed: IndexedFile | undefined,
): Promise<IndexedFile | 'missing' | undefined> {
  const hasFailed = row.state === 'failed' && row.indexedFileId === fileId;
  if (hasFailed && listed?.state !== 'ready') return undefined;
  if (listed?.state === 'failed' && row.indexedFileId === null) {
    await vectorStores.takeOut(apiKey, storeId, fileId);
    return (await vectorStores.add(apiKey, storeId, fileId)) ?? 'missing';
  }
  return listed ?? (await vectorStores.add(apiKey, storeId, fileId)) ?? 'missing';
}

/** Adds missing files to the store and removes others. true: some are still being indexed. */
export async function reconcile(
  { db, provider, keys, files, providerName }: Dependencies,
  store: VectorStore,
  rows: KnowledgeFile[],
): Promise<boolean> {
  const { vectorStores } = provider;
  for (const row of rows) {
    const change = withoutCopy(row, providerName);
    if (change) await settle(db, row, change);
  }
  const wanted = rows.flatMap((row) => {
    const fileId = fileIdOf(row);
    return fileId === null ? [] : [{ row, fileId }];
  });
  if (wanted.length === 0 && store.sentAt === null && store.providerStoreId === null) return false;
  const apiKey = await keys.open(store.userId);
  const { storeId, listed } = await openStore(db, vectorStores, apiKey, store);
  let isUnderWay = false;
  for (const { row, fileId } of wanted) {
    const entry = await entryOf(vectorStores, apiKey, storeId, row, fileId, listed.get(fileId));
    if (entry === 'missing') {
      await files.checkAtProvider(store.userId);
      await settle(db, row, { state: 'waiting', error: lostAtProvider, indexedFileId: null });
    } else if (entry) await settle(db, row, { state: entry.state, error: entry.error, indexedFileId: fileId });
    isUnderWay ||= entry === 'missing' || entry?.state === 'indexing';
  }
  const belongs = new Set(wanted.map(({ fileId }) => fileId));
  for (const fileId of listed.keys()) if (!belongs.has(fileId)) await vectorStores.takeOut(apiKey, storeId, fileId);
  return isUnderWay;
}
