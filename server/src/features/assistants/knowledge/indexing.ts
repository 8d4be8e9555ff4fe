import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { type JobHandler, jobHandler } from '#server/jobs/define';
import { indexJob, queueIndexing, releaseStore } from './queue.ts';
import { knowledgeRepository } from './repository.ts';
import { storeRepository } from './store-repository.ts';
import type { SyncVectorStore } from './sync-vector-store.ts';

type Dependencies = { db: Kysely<Database>; fill: SyncVectorStore };

/** undefined: there is no store and none is needed. */
async function storeOf(db: Kysely<Database>, userId: number, assistantId: number): Promise<number | undefined> {
  const stores = storeRepository(db);
  if (!(await stores.ofAssistant(userId, assistantId))) {
    if ((await knowledgeRepository(db).of(userId, assistantId)).length === 0) return undefined;
    await stores.insert(userId, assistantId);
  }
  return (await stores.ofAssistant(userId, assistantId))?.id;
}

async function index({ db, fill }: Dependencies, userId: number, assistantId: number) {
  const storeId = await storeOf(db, userId, assistantId);
  if (storeId === undefined) return;
  const knowledge = knowledgeRepository(db);
  await fill(userId, storeId, {
    name: 'Roster assistant',
    rows: () => knowledge.of(userId, assistantId),
    change: knowledge.change,
    again: (inMs) => queueIndexing(db, userId, assistantId, inMs),
    whenEmpty: () => db.transaction().execute((trx) => releaseStore(trx, userId, assistantId)),
    waitsForKey: true,
  });
}

/** Brings the vector store of an assistant in line with its files. There is a store while there are files. */
export const indexJobHandler = (dependencies: Dependencies): JobHandler =>
  jobHandler(indexJob, ({ userId, assistantId }) => index(dependencies, userId, assistantId));
