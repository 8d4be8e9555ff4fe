import { unsearchableReason } from '@roster/contracts/files/searchable-files';
import { providerNameIn } from '@roster/contracts/provider-name';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { Provider } from '#server/provider/provider';
import type { FileOptions, IndexedFile } from '#server/provider/resources/vector-stores';
import type { Secret } from '#server/security/secret';
import { ensureVectorStore } from './ensure-vector-store.ts';
import type { Change, KnowledgeFile } from './repository.ts';
import type { VectorStore } from './store-repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  provider: Pick<Provider, 'vectorStores'>;
  keys: { open: (userId: number) => Promise<Secret> };
  files: { checkAtProvider: (userId: number) => Promise<void> };
  providerName: string;
};

/** A file that belongs in a store: its state there, and its copy at the provider. */
export type StoreFile = Pick<KnowledgeFile, 'filename' | 'state' | 'error' | 'indexedFileId' | 'changedAt' | 'copy'>;

/** Contents of a store and where results are recorded. */
export type Contents<Row extends StoreFile> = {
  name: string;
  rows: () => Promise<Row[]>;
  /** Only if the row is unchanged since it was read. */
  change: (row: Row, to: Change) => Promise<void>;
  /** Options sent along with a file. */
  optionsOf?: (row: Row) => FileOptions;
  /** The file is in the store. `isNew`: it was just added with its options. */
  onEntry?: (row: Row, at: { apiKey: Secret; storeId: string; fileId: string; isNew: boolean }) => Promise<void>;
};

const lostFileMessage = 'The provider no longer has this file. It is being sent again.';

export const notServedMessage = (providerName: string) =>
  `${providerNameIn('beginning', providerName)} has no file search. The file stays with the assistant, which answers without it.`;

/** The file’s id at the provider; null while the provider does not have it. */
const fileIdOf = ({ copy, filename }: StoreFile): string | null =>
  copy?.state === 'ready' && unsearchableReason(filename) === undefined ? copy.providerFileId : null;

/** Writes only if something has changed. */
export async function updateState<Row extends StoreFile>(
  { change }: Pick<Contents<Row>, 'change'>,
  row: Row,
  to: Change,
) {
  const isSame = row.state === to.state && row.error === to.error && row.indexedFileId === to.indexedFileId;
  if (!isSame) await change(row, to);
}

/** The state of a file without a provider copy, which therefore cannot be in the store. undefined: it has a copy. */
function stateWithoutCopy(row: StoreFile, providerName: string): Change | undefined {
  const { copy, filename } = row;
  const reason = unsearchableReason(filename);
  if (reason !== undefined)
    return { state: 'failed', error: reason, errorCode: 'unsupported_file', indexedFileId: null };
  if (fileIdOf(row) !== null) return undefined;
  if (copy?.state === 'not_served')
    return { state: 'not_served', error: notServedMessage(providerName), indexedFileId: null };
  if (copy?.state === 'failed') return { state: 'failed', error: copy.error, indexedFileId: null };
  return { state: 'waiting', error: null, indexedFileId: null };
}

type WantedFile<Row extends StoreFile> = { row: Row; fileId: string };
type Place = { apiKey: Secret; storeId: string };

/** More files than this are added in one batch, if the provider supports it. */
const batchThreshold = 5;
const batchLimit = 100;

/** True for a missing file, unless it failed before and no retry was requested. */
const needsAdding = <Row extends StoreFile>(
  { row, fileId }: WantedFile<Row>,
  listed: IndexedFile | undefined,
): boolean => listed === undefined && !(row.state === 'failed' && row.indexedFileId === fileId);

/**
 * True if the file failed in the store and a retry was requested: it has to be removed before it can be added again.
 */
const needsRetry = ({ indexedFileId }: StoreFile, listed: IndexedFile | undefined): boolean =>
  listed?.state === 'failed' && indexedFileId === null;

async function addFiles<Row extends StoreFile>(
  dependencies: Dependencies,
  contents: Contents<Row>,
  { apiKey, storeId }: Place,
  userId: number,
  wanted: WantedFile<Row>[],
) {
  const { vectorStores } = dependencies.provider;
  const optionsOf = contents.optionsOf ?? (() => ({}));
  for (let from = 0; from < wanted.length; from += batchLimit) {
    const some = wanted.slice(from, from + batchLimit);
    const bodies = some.map(({ row, fileId }) => ({ file_id: fileId, ...optionsOf(row) }));
    const isTaken = some.length > batchThreshold && (await vectorStores.addMany(apiKey, storeId, bodies));
    for (const { row, fileId } of some) {
      const entry = isTaken ? pending(fileId) : await vectorStores.add(apiKey, storeId, fileId, optionsOf(row));
      if (entry === undefined) {
        await dependencies.files.checkAtProvider(userId);
        await updateState(contents, row, { state: 'waiting', error: lostFileMessage, indexedFileId: null });
        continue;
      }
      await updateState(contents, row, toChange(entry, fileId));
      await contents.onEntry?.(row, { apiKey, storeId, fileId, isNew: true });
    }
  }
}

const pending = (id: string): IndexedFile => ({ id, state: 'indexing', error: null, errorCode: null, bytes: 0 });
const toChange = ({ state, error, errorCode, bytes }: IndexedFile, indexedFileId: string): Change => ({
  state,
  error,
  errorCode,
  bytes,
  indexedFileId,
});

/** Adds missing files to the store and removes others. Returns true while some are being indexed. */
export async function reconcile<Row extends StoreFile>(
  dependencies: Dependencies,
  store: VectorStore,
  contents: Contents<Row>,
  rows: Row[],
): Promise<boolean> {
  const { db, provider, keys, providerName } = dependencies;
  const { vectorStores } = provider;
  for (const row of rows) {
    const change = stateWithoutCopy(row, providerName);
    if (change) await updateState(contents, row, change);
  }
  const wanted = rows.flatMap((row) => {
    const fileId = fileIdOf(row);
    return fileId === null ? [] : [{ row, fileId }];
  });
  if (wanted.length === 0 && store.sentAt === null && store.providerStoreId === null) return false;
  const apiKey = await keys.open(store.userId);
  const { storeId, listed } = await ensureVectorStore(db, vectorStores, apiKey, { ...store, name: contents.name });
  const place = { apiKey, storeId };
  let isInProgress = false;
  const added: WantedFile<Row>[] = [];
  for (const { row, fileId } of wanted) {
    const entry = listed.get(fileId);
    const isAgain = needsRetry(row, entry);
    if (isAgain) await vectorStores.takeOut(apiKey, storeId, fileId);
    if (isAgain || needsAdding({ row, fileId }, entry)) {
      added.push({ row, fileId });
      isInProgress = true;
    } else if (entry && !(row.state === 'failed' && row.indexedFileId === fileId && entry.state !== 'ready')) {
      await updateState(contents, row, toChange(entry, fileId));
      await contents.onEntry?.(row, { ...place, fileId, isNew: false });
      isInProgress ||= entry.state === 'indexing';
    }
  }
  await addFiles(dependencies, contents, place, store.userId, added);
  const belongs = new Set(wanted.map(({ fileId }) => fileId));
  for (const fileId of listed.keys()) if (!belongs.has(fileId)) await vectorStores.takeOut(apiKey, storeId, fileId);
  return isInProgress;
}
