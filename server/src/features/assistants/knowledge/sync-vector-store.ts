import { unsearchableReason } from '@roster/contracts/files/searchable-files';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { Provider } from '#server/provider/provider';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import { type Contents, notServedMessage, reconcile, type StoreFile, updateState } from './reconcile.ts';
import type { Change } from './repository.ts';
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

/** Contents of a store and how filling continues. */
type SyncRequest<Row extends StoreFile> = Contents<Row> & {
  /** Schedules another run. */
  again: (inMs: number) => Promise<void>;
  /** Called instead of filling the store with nothing. */
  whenEmpty?: () => Promise<void>;
  /** true: files wait if only another key can help. false: they fail, since an API client would wait forever. */
  waitsForKey: boolean;
};

/** Wait while another process works on the same store. */
const busyMs = 1_000;
const minPollMs = 1_000;
const maxPollMs = 30_000;

/** Failures that only another key resolves. */
const needsOtherKey = new Set<ProviderError['code']>(['key_rejected', 'missing_scope', 'region']);

/** Milliseconds until the next poll, growing with the time since the last change. */
function nextPollDelay(rows: StoreFile[]): number {
  const newest = Math.max(...rows.map(({ changedAt }) => Date.parse(changedAt)));
  const elapsed = Date.now() - newest;
  return Math.min(maxPollMs, Math.max(minPollMs, elapsed / 2));
}

/**
 * Brings a vector store in line with its files: it holds those that are at the provider and no others. Each run
 * compares and does what is missing, so it can stop anywhere. Only one process at a time works on a store, so a second
 * one is never created.
 */
export function createVectorStoreSync(dependencies: Dependencies) {
  /** Stores that this process works on. */
  const atWork = new Set<number>();

  /** undefined: there is no such store, or it is being removed. */
  async function take(userId: number, storeId: number): Promise<VectorStore | 'busy' | undefined> {
    const { db, instance, isGone } = dependencies;
    const stores = storeRepository(db);
    const found = await stores.find(userId, storeId);
    if (!found || isEnding(found)) return undefined;
    const { instance: holder } = found;
    const isFree = holder === null || (holder === instance ? !atWork.has(storeId) : await isGone(holder));
    if (!isFree || !(await stores.take(userId, storeId, instance, holder))) return 'busy';
    atWork.add(storeId);
    // Read after taking the lock: the previous holder may have stored more.
    return stores.find(userId, storeId);
  }

  /** Returns false if another process or call is working on the store. */
  return async function fill<Row extends StoreFile>(
    userId: number,
    storeId: number,
    filling: SyncRequest<Row>,
  ): Promise<boolean> {
    const store = await take(userId, storeId);
    if (store === undefined) return true;
    if (store === 'busy') {
      await filling.again(busyMs);
      return false;
    }
    try {
      const rows = await filling.rows();
      if (rows.length === 0 && filling.whenEmpty) await filling.whenEmpty();
      else if (!isEnding(store)) await syncStore(dependencies, store, filling, rows);
    } finally {
      atWork.delete(storeId);
      await storeRepository(dependencies.db).releaseClaim(userId, storeId, dependencies.instance);
    }
    return true;
  };
}

export type SyncVectorStore = ReturnType<typeof createVectorStoreSync>;

const isEnding = ({ state }: VectorStore) => state === 'removing' || state === 'expired';

async function syncStore<Row extends StoreFile>(
  dependencies: Dependencies,
  store: VectorStore,
  filling: SyncRequest<Row>,
  rows: Row[],
) {
  const { userId, id } = store;
  try {
    const isInProgress = await reconcile(dependencies, store, filling, rows);
    if (store.error !== null) await storeRepository(dependencies.db).note(userId, id, null);
    if (isInProgress) await filling.again(nextPollDelay(await filling.rows()));
  } catch (error) {
    await failed(dependencies, store, filling, rows, error);
  }
}

/** @throws if a later retry may succeed */
async function failed<Row extends StoreFile>(
  { db, keys, providerName, log }: Dependencies,
  { userId, id }: VectorStore,
  filling: SyncRequest<Row>,
  rows: Row[],
  error: unknown,
) {
  const stores = storeRepository(db);
  const isOpen = ({ state, filename }: Row) =>
    state !== 'ready' && state !== 'failed' && unsearchableReason(filename) === undefined;
  const open = rows.filter(isOpen);
  const settleAll = async (some: Row[], to: Omit<Change, 'indexedFileId'>) => {
    for (const row of some) await updateState(filling, row, { ...to, indexedFileId: null });
  };
  if (error instanceof AppError) {
    // Saving a key retries.
    await stores.note(userId, id, error.message);
    if (!filling.waitsForKey) await settleAll(open, { state: 'failed', error: error.message });
    return;
  }
  if (!(error instanceof ProviderError)) {
    await stores.note(userId, id, 'Something went wrong on our side. Roster will try again.');
    throw error;
  }
  log.warn({ code: error.code, status: error.status, userId }, 'files could not be added to a vector store');
  if (error.code === 'not_served') {
    await stores.note(userId, id, null);
    const ready = rows.filter(({ state }) => state === 'ready');
    return settleAll([...ready, ...open], { state: 'not_served', error: notServedMessage(providerName) });
  }
  await stores.note(userId, id, error.message);
  if (error.code === 'key_rejected') await keys.noteRejected(userId, error.message);
  if (error.isTransient) throw error;
  if (!filling.waitsForKey || !needsOtherKey.has(error.code))
    await settleAll(open, { state: 'failed', error: error.message });
}
