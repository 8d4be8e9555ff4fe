import { whyNotSearchable } from '@roster/contracts/searchable-files';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/errors';
import { type JobHandler, jobHandler } from '#server/jobs/define';
import { ProviderError } from '#server/provider/error';
import type { Provider } from '#server/provider/provider';
import type { Secret } from '#server/security/secret';
import { indexJob, queueIndexing, releaseStore } from './queue.ts';
import { notServed, reconcile, settle } from './reconcile.ts';
import { type Change, type KnowledgeFile, knowledgeRepository } from './repository.ts';
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

/** While another process works on the same store. */
const busyMs = 1_000;
const firstLookMs = 1_000;
const lastLookMs = 30_000;

/** Failures that only another key can end: the files wait for it instead of failing. */
const needsOtherKey = new Set<ProviderError['code']>(['key_rejected', 'missing_scope', 'region']);

/** Milliseconds until the next poll: the longer ago the last change, the longer. */
function nextLook(rows: KnowledgeFile[]): number {
  const newest = Math.max(...rows.map(({ changedAt }) => Date.parse(changedAt)));
  const elapsed = Date.now() - newest;
  return Math.min(lastLookMs, Math.max(firstLookMs, elapsed / 2));
}

/** `atWork`: the stores that this process works on. undefined: there is no store, and none is needed. */
async function take(
  { db, instance, isGone }: Dependencies,
  atWork: Set<number>,
  userId: number,
  assistantId: number,
): Promise<VectorStore | 'busy' | undefined> {
  const stores = storeRepository(db);
  if (!(await stores.ofAssistant(userId, assistantId))) {
    if ((await knowledgeRepository(db).of(userId, assistantId)).length === 0) return undefined;
    await stores.insert(userId, assistantId);
  }
  const found = await stores.ofAssistant(userId, assistantId);
  if (!found) return undefined;
  const { id, instance: holder } = found;
  const isFree = holder === null || (holder === instance ? !atWork.has(id) : await isGone(holder));
  if (!isFree || !(await stores.take(userId, id, instance, holder))) return 'busy';
  atWork.add(id);
  // Read after the lock: the process before this one may have stored more.
  return stores.find(userId, id);
}

async function index(dependencies: Dependencies, atWork: Set<number>, userId: number, assistantId: number) {
  const { db, instance } = dependencies;
  const store = await take(dependencies, atWork, userId, assistantId);
  if (!store) return;
  if (store === 'busy') {
    await queueIndexing(db, userId, assistantId, busyMs);
    return;
  }
  try {
    const rows = await knowledgeRepository(db).of(userId, assistantId);
    if (rows.length === 0) await db.transaction().execute((trx) => releaseStore(trx, userId, assistantId));
    else await indexFiles(dependencies, store, assistantId, rows);
  } finally {
    atWork.delete(store.id);
    await storeRepository(db).letGo(userId, store.id, instance);
  }
}

async function indexFiles(dependencies: Dependencies, store: VectorStore, assistantId: number, rows: KnowledgeFile[]) {
  const { db } = dependencies;
  const { userId, id } = store;
  try {
    const isUnderWay = await reconcile(dependencies, store, rows);
    if (store.error !== null) await storeRepository(db).note(userId, id, null);
    if (isUnderWay) {
      const now = await knowledgeRepository(db).of(userId, assistantId);
      await queueIndexing(db, userId, assistantId, nextLook(now));
    }
  } catch (error) {
    await failed(dependencies, store, rows, error);
  }
}

/** @throws where it is worth a retry later */
async function failed(dependencies: Dependencies, store: VectorStore, rows: KnowledgeFile[], error: unknown) {
  const { db, keys, providerName, log } = dependencies;
  const { userId, id } = store;
  const stores = storeRepository(db);
  // Saving a key retries it.
  if (error instanceof AppError) return stores.note(userId, id, error.message);
  if (!(error instanceof ProviderError)) {
    await stores.note(userId, id, 'Something went wrong on our side. It is tried again.');
    throw error;
  }
  log.warn({ code: error.code, status: error.status, userId }, 'files of an assistant could not be indexed');
  const open = rows.filter(
    ({ state, filename }) => state !== 'ready' && state !== 'failed' && whyNotSearchable(filename) === undefined,
  );
  if (error.code === 'not_served') {
    await stores.note(userId, id, null);
    const ready = rows.filter(({ state }) => state === 'ready');
    return settleAll(db, [...ready, ...open], { state: 'not_served', error: notServed(providerName) });
  }
  await stores.note(userId, id, error.message);
  if (error.code === 'key_rejected') await keys.noteRejected(userId, error.message);
  if (error.isTransient) throw error;
  if (!needsOtherKey.has(error.code)) await settleAll(db, open, { state: 'failed', error: error.message });
}

async function settleAll(db: Kysely<Database>, rows: KnowledgeFile[], to: Omit<Change, 'indexedFileId'>) {
  for (const row of rows) await settle(db, row, { ...to, indexedFileId: null });
}

/**
 * Makes the vector store of an assistant what the assistant's files say: there is one while there are files, it has
 * those files that are at the provider, and none else. Each run looks at what is there and does what is missing, so that
 * it can break off anywhere. One process at a time works on a store, which is why there is never a second one.
 */
export function indexing(dependencies: Dependencies): JobHandler {
  const atWork = new Set<number>();
  return jobHandler(indexJob, ({ userId, assistantId }) => index(dependencies, atWork, userId, assistantId));
}
