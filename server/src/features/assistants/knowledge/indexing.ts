import { providerIn } from '@roster/contracts/provider-name';
import { whyNotSearchable } from '@roster/contracts/searchable-files';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/errors';
import { type JobHandler, jobHandler } from '#server/jobs/define';
import { ProviderError } from '#server/provider/error';
import type { Provider } from '#server/provider/provider';
import type { IndexedFile } from '#server/provider/vector-stores';
import type { Secret } from '#server/security/secret';
import { indexJob, queueIndexing, releaseStore } from './queue.ts';
import { type Change, type KnownFile, knowledgeRepository } from './repository.ts';
import { storeRepository, type VectorStore } from './store-repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  provider: Pick<Provider, 'vectorStores'>;
  keys: { open: (userId: number) => Promise<Secret>; noteRejected: (userId: number, notice: string) => Promise<void> };
  files: { checkAtProvider: (userId: number) => Promise<void> };
  providerName: string;
  instance: number;
  isGone: (instance: number) => Promise<boolean>;
  log: FastifyBaseLogger;
};

/** How far the provider's clock may be behind ours. */
export const clockTolerance = 5 * 60_000;
/** While another process works on the same store. */
const busyMs = 1_000;
const firstLookMs = 1_000;
const lastLookMs = 30_000;

/** What another key may mend, and nothing else: a saved key begins again. */
const needsOtherKey = new Set<ProviderError['code']>(['key_rejected', 'missing_scope', 'region']);

const lostAtProvider = 'The provider does not have this file any more. It is being sent again.';

/** In how many milliseconds: the later, the longer until the next look, by how long ago the last change was. */
function nextLook(rows: KnownFile[]): number {
  const newest = Math.max(...rows.map(({ changedAt }) => Date.parse(changedAt)));
  const elapsed = Date.now() - newest;
  return Math.min(lastLookMs, Math.max(firstLookMs, elapsed / 2));
}

/**
 * Makes the vector store of an assistant what the assistant's files say: there is one while there are files, it has
 * those files that are at the provider, and none else. Each run looks at what is there and does what is missing, so that
 * it can break off anywhere. One process at a time works on a store, which is why there is never a second one.
 */
export function indexing(dependencies: Dependencies): JobHandler {
  const { db, provider, keys, files, providerName, instance, isGone, log } = dependencies;
  const stores = storeRepository(db);
  const knowledge = knowledgeRepository(db);
  const { vectorStores } = provider;
  /** The stores that this process works on. */
  const atWork = new Set<number>();

  async function take(userId: number, assistantId: number): Promise<VectorStore | 'busy' | undefined> {
    if (!(await stores.ofAssistant(userId, assistantId))) {
      if ((await knowledge.of(userId, assistantId)).length === 0) return undefined;
      await stores.insert(userId, assistantId);
    }
    const found = await stores.ofAssistant(userId, assistantId);
    if (!found) return undefined;
    const { id, instance: holder } = found;
    const isFree = holder === null || (holder === instance ? !atWork.has(id) : await isGone(holder));
    if (!isFree || !(await stores.take(userId, id, instance, holder))) return 'busy';
    atWork.add(id);
    // What the one before has stored of it.
    return stores.find(userId, id);
  }

  async function index({ userId, assistantId }: { userId: number; assistantId: number }) {
    const store = await take(userId, assistantId);
    if (!store) return;
    if (store === 'busy') {
      await queueIndexing(db, userId, assistantId, busyMs);
      return;
    }
    try {
      const rows = await knowledge.of(userId, assistantId);
      if (rows.length === 0) await db.transaction().execute((trx) => releaseStore(trx, userId, assistantId));
      else await bringIn(store, assistantId, rows);
    } finally {
      atWork.delete(store.id);
      await stores.letGo(userId, store.id, instance);
    }
  }

  async function bringIn(store: VectorStore, assistantId: number, rows: KnownFile[]) {
    const { userId, id } = store;
    const change = (row: KnownFile, change: Change) => knowledge.change(userId, assistantId, row, change);
    try {
      const again = await reconcile(store, rows, change);
      if (store.error !== null) await stores.note(userId, id, null);
      if (again) await queueIndexing(db, userId, assistantId, nextLook(await knowledge.of(userId, assistantId)));
    } catch (error) {
      await failed(store, rows, change, error);
    }
  }

  type Changing = (row: KnownFile, change: Change) => Promise<void>;

  /** true: something is still on its way in the store. */
  async function reconcile(store: VectorStore, rows: KnownFile[], change: Changing): Promise<boolean> {
    const { userId } = store;
    for (const row of rows) await asCopyIs(row, change);
    const wanted = rows.flatMap((row) => (fileIdOf(row) === null ? [] : [row]));
    if (wanted.length === 0 && store.sentAt === null && store.providerStoreId === null) return false;
    const apiKey = await keys.open(userId);
    const { storeId, listed } = await opened(apiKey, store);
    const ids = new Set<string>();
    let isUnderWay = false;
    for (const row of wanted) {
      const fileId = fileIdOf(row) ?? '';
      ids.add(fileId);
      const entry = await entryOf(apiKey, storeId, row, fileId, listed.get(fileId));
      if (entry === 'missing') {
        await files.checkAtProvider(userId);
        await settle(row, { state: 'waiting', error: lostAtProvider, indexedFileId: null }, change);
      } else if (entry) await settle(row, { state: entry.state, error: entry.error, indexedFileId: fileId }, change);
      isUnderWay ||= entry === 'missing' || entry?.state === 'indexing';
    }
    for (const fileId of listed.keys()) if (!ids.has(fileId)) await vectorStores.takeOut(apiKey, storeId, fileId);
    return isUnderWay;
  }

  /** What the provider has no copy of cannot be in the store either. */
  async function asCopyIs(row: KnownFile, change: Changing) {
    const reason = whyNotSearchable(row.filename);
    if (reason !== undefined) return settle(row, { state: 'failed', error: reason, indexedFileId: null }, change);
    if (fileIdOf(row) !== null) return;
    const { copy } = row;
    if (copy?.state === 'not_served')
      return settle(row, { state: 'not_served', error: notServed(providerName), indexedFileId: null }, change);
    if (copy?.state === 'failed')
      return settle(row, { state: 'failed', error: copy.error, indexedFileId: null }, change);
    await settle(row, { state: 'waiting', error: null, indexedFileId: null }, change);
  }

  /** Writes only what is new. */
  async function settle(row: KnownFile, to: Change, change: Changing) {
    const isSame = row.state === to.state && row.error === to.error && row.indexedFileId === to.indexedFileId;
    if (!isSame) await change(row, to);
  }

  /** The store with what is in it; made where there is none. */
  async function opened(apiKey: Secret, store: VectorStore) {
    if (store.providerStoreId !== null)
      try {
        const listed = await vectorStores.files(apiKey, store.providerStoreId);
        return { storeId: store.providerStoreId, listed: byId(listed) };
      } catch (error) {
        if (!(error instanceof ProviderError) || error.code !== 'store_gone') throw error;
        const token = await stores.lost(store.userId, store.id);
        return { storeId: await create(apiKey, { ...store, token, sentAt: null }), listed: byId([]) };
      }
    const storeId = await create(apiKey, store);
    // One that was found again may have files in it.
    return { storeId, listed: byId(store.sentAt === null ? [] : await vectorStores.files(apiKey, storeId)) };
  }

  async function create(apiKey: Secret, { userId, id, token, sentAt }: VectorStore): Promise<string> {
    const since = sentAt && new Date(Date.parse(sentAt) - clockTolerance).toISOString();
    const found = since ? await vectorStores.find(apiKey, token, since) : undefined;
    const storeId = found ?? (await ask());
    await stores.created(userId, id, storeId);
    return storeId;

    async function ask() {
      await stores.markSent(userId, id);
      try {
        return await vectorStores.create(apiKey, 'Roster assistant', token);
      } catch (error) {
        if (error instanceof ProviderError && !error.isUncertain) await stores.notSent(userId, id);
        throw error;
      }
    }
  }

  /** What the store has of a file, added where it is not in it. undefined: it failed before, and nobody asked again. */
  async function entryOf(
    apiKey: Secret,
    storeId: string,
    row: KnownFile,
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

  /** @throws where it is worth trying again later */
  async function failed({ userId, id }: VectorStore, rows: KnownFile[], change: Changing, error: unknown) {
    const open = rows.filter(({ state, filename }) => state !== 'ready' && whyNotSearchable(filename) === undefined);
    const settleAll = async (to: Omit<Change, 'indexedFileId'>) => {
      for (const row of open) if (row.state !== 'failed') await settle(row, { ...to, indexedFileId: null }, change);
    };
    // A saved key starts this again.
    if (error instanceof AppError) return stores.note(userId, id, error.message);
    if (!(error instanceof ProviderError)) {
      await stores.note(userId, id, 'Something went wrong on our side. It is tried again.');
      throw error;
    }
    log.warn({ code: error.code, status: error.status, userId }, 'files of an assistant could not be indexed');
    if (error.code === 'not_served') {
      await stores.note(userId, id, null);
      for (const row of rows.filter(({ state }) => state === 'ready'))
        await settle(row, { state: 'not_served', error: notServed(providerName), indexedFileId: null }, change);
      return settleAll({ state: 'not_served', error: notServed(providerName) });
    }
    await stores.note(userId, id, error.message);
    if (error.code === 'key_rejected') await keys.noteRejected(userId, error.message);
    if (error.isPassing) throw error;
    if (!needsOtherKey.has(error.code)) await settleAll({ state: 'failed', error: error.message });
  }

  return jobHandler(indexJob, index);
}

export const notServed = (providerName: string) =>
  `${providerIn('beginning', providerName)} has no file search. The file stays with the assistant, which answers without it.`;

const byId = (files: IndexedFile[]) => new Map(files.map((file) => [file.id, file]));

/** Its id at the provider; null while the provider does not have it. */
const fileIdOf = ({ copy, filename }: KnownFile): string | null =>
  copy?.state === 'ready' && whyNotSearchable(filename) === undefined ? copy.providerFileId : null;
