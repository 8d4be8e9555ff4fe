import { Id } from '@roster/contracts/endpoint';
import { exportSizeLimit, type Import, leftOutReasons } from '@roster/contracts/imports';
import { tidyName } from '@roster/contracts/text/name';
import { truncate } from '@roster/contracts/text/truncate';
import type { Kysely } from 'kysely';
import { lockUser } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { IncomingFile, Receive } from '#server/http/multipart';
import { createCursors, toPage } from '#server/http/paging';
import { enqueue } from '#server/jobs/queue';
import { AppError, isDiskFull } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { type FileKey, type FileStore, newFileKey } from '#server/storage/file-store';
import { readJob, storeJob, undoJob } from './jobs.ts';
import { type ImportRecord, importRepository } from './repository.ts';
import { finish } from './work.ts';

/** How long an upload waits for its import to be started. */
const previewDays = 7;

/** How long an import can be undone. */
const undoDays = 30;

type Dependencies = {
  db: Kysely<Database>;
  store: FileStore;
  instance: number;
  isGone: (instance: number) => Promise<boolean>;
  minFreeBytes: number;
  removeBytes: (trx: Kysely<Database>, storedKeys: string[]) => Promise<void>;
  now: () => number;
};

const activeLimit = 3;
const dayMs = 24 * 60 * 60_000;
const filenameLength = 255;
const expiredAtOnce = 100;

const notFound = () => new AppError('not_found', 'Import not found.');
const conflict = (message: string) => new AppError('conflict', message);
const noSpace = (cause?: unknown) =>
  new AppError('no_space', 'The server does not have enough storage for this file. Please tell the operator.', {
    cause,
  });

const endStates: readonly string[] = ['done', 'canceled', 'failed'];

/** Until when an import can be undone; null: there is nothing to undo. */
function undoUntilOf(record: ImportRecord): string | null {
  const { state, finishedAt, importedConversations, importedMessages } = record;
  const { importedAssistants, importedProjects, importedFiles } = record;
  if (!endStates.includes(state) || finishedAt === null) return null;
  const others = importedAssistants + importedProjects + importedFiles;
  if (importedConversations === 0 && importedMessages === 0 && others === 0) return null;
  return new Date(Date.parse(finishedAt) + undoDays * dayMs).toISOString();
}

export function toImport(found: ImportRecord): Import {
  const { storedKey: _key, withFiles: _files, state, leftOut, names, ...record } = found;
  return {
    ...record,
    // Uploads in progress are in no list.
    state: state === 'uploading' ? 'reading' : state,
    leftOut: leftOutReasons.flatMap((reason) => {
      const count = leftOut[reason] ?? 0;
      return count > 0 ? [{ reason, count, names: names[reason] ?? [] }] : [];
    }),
    undoUntil: undoUntilOf(found),
  };
}

const inMegabytes = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MB`;

async function checkRoom({ store, minFreeBytes }: Dependencies, bytes: number | undefined) {
  if (bytes !== undefined && bytes > exportSizeLimit + 64 * 1024)
    throw new AppError('too_large', `The file is larger than ${inMegabytes(exportSizeLimit)}.`);
  const free = await store.freeBytes();
  if (free !== undefined && free < minFreeBytes + (bytes ?? 0)) throw noSpace();
}

/** Stores the bytes of an export. */
async function storeBytes({ store }: Dependencies, key: FileKey, { filename, content }: IncomingFile) {
  let size = 0;
  async function* measured() {
    for await (const chunk of content) {
      size += chunk.length;
      yield chunk;
    }
    if (size === 0)
      throw new AppError('invalid_input', 'The file is empty.', { fields: { file: 'The file is empty.' } });
  }
  try {
    await store.put(key, measured());
  } catch (error) {
    throw isDiskFull(error) ? noSpace(error) : error;
  }
  return { filename: truncate(tidyName(filename), filenameLength), size };
}

const reserve = ({ db, instance }: Dependencies, { userId, role }: Actor, storedKey: FileKey) =>
  db.transaction().execute(async (trx) => {
    if (!(await lockUser(trx, userId))) throw new AppError('not_signed_in', 'Please sign in.');
    const rows = importRepository(trx);
    if ((await rows.countActive(userId)) >= activeLimit)
      throw conflict('Three imports are waiting or in progress. Start, cancel or finish one of them first.');
    return rows.insert(userId, { storedKey, instance, withFiles: role !== 'Viewer', at: new Date().toISOString() });
  });

const discard = ({ db, removeBytes }: Dependencies, userId: number, id: number, storedKey: string | null) =>
  db.transaction().execute(async (trx) => {
    const rows = importRepository(trx);
    const record = await rows.lock(userId, id);
    // Without a record the account was closed meanwhile.
    if (record && record.state !== 'uploading') return;
    if (storedKey !== null) await removeBytes(trx, [storedKey]);
    await rows.delete(userId, id);
  });

/** Receives an export, and has it read in the background. A failure leaves nothing behind. */
async function upload(dependencies: Dependencies, inProgress: Set<string>, actor: Actor, receive: Receive<object>) {
  const { db } = dependencies;
  const { userId } = actor;
  const storedKey = newFileKey();
  inProgress.add(storedKey);
  try {
    const id = await reserve(dependencies, actor, storedKey);
    try {
      const { file } = await receive((incoming) => storeBytes(dependencies, storedKey, incoming));
      await db.transaction().execute(async (trx) => {
        await actor.recheckAccess(trx);
        await importRepository(trx).update(userId, id, { state: 'reading', ...file });
        await enqueue(trx, readJob, { userId, importId: id });
      });
    } catch (error) {
      // If this fails too, the next sweep does it.
      await discard(dependencies, userId, id, storedKey).catch(() => undefined);
      throw error;
    }
    return id;
  } finally {
    inProgress.delete(storedKey);
  }
}

/** Changes a locked import. @throws AppError if its state does not allow that */
const decide = (
  { db }: Dependencies,
  { userId, recheckAccess }: Actor,
  id: number,
  change: (trx: Kysely<Database>, record: ImportRecord) => Promise<void>,
) =>
  db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    const record = await importRepository(trx).lock(userId, id);
    if (!record || record.state === 'uploading') throw notFound();
    await change(trx, record);
  });

const start = (dependencies: Dependencies, actor: Actor, id: number) =>
  decide(dependencies, actor, id, async (trx, { state }) => {
    const { userId } = actor;
    if (state === 'importing' || state === 'done') return;
    if (state === 'reading') throw conflict('The file is still being processed. Please wait a moment.');
    if (state !== 'ready') throw conflict('This import has ended. Upload the file again.');
    await importRepository(trx).update(userId, id, { state: 'importing' });
    await enqueue(trx, storeJob, { userId, importId: id });
  });

const cancel = (dependencies: Dependencies, actor: Actor, id: number) =>
  decide(dependencies, actor, id, async (trx, record) => {
    if (record.state === 'canceled') return;
    if (!['reading', 'ready', 'importing'].includes(record.state))
      throw conflict('This import has ended. There is nothing to cancel.');
    await finish(trx, dependencies.removeBytes, actor.userId, record, { state: 'canceled' });
  });

const undo = (dependencies: Dependencies, actor: Actor, id: number) =>
  decide(dependencies, actor, id, async (trx, record) => {
    const { userId } = actor;
    if (record.state === 'undoing' || record.state === 'undone') return;
    const until = undoUntilOf(record);
    if (until === null) throw conflict('This import is not finished yet. Cancel it, or undo it once it is done.');
    if (Date.parse(until) <= dependencies.now())
      throw conflict(`An import can be undone for ${undoDays} days. Delete its conversations one by one instead.`);
    await importRepository(trx).update(userId, id, { state: 'undoing' });
    await enqueue(trx, undoJob, { userId, importId: id });
  });

/** Removes uploads of dead processes, and exports that nobody has started to import. */
async function sweep(dependencies: Dependencies, inProgress: ReadonlySet<string>) {
  const { db, instance, isGone, now, removeBytes } = dependencies;
  for (const { id, userId, storedKey, instance: receiver } of await importRepository(db).uploads()) {
    const isLeft = receiver === instance ? !inProgress.has(storedKey ?? '') : await isGone(receiver);
    if (isLeft) await discard(dependencies, userId, id, storedKey);
  }
  const before = new Date(now() - previewDays * dayMs).toISOString();
  for (const { id, userId } of await importRepository(db).waiting(before, expiredAtOnce))
    await db.transaction().execute(async (trx) => {
      const record = await importRepository(trx).lock(userId, id);
      if (record?.state === 'ready') await finish(trx, removeBytes, userId, record, { state: 'expired' });
    });
}

const cursors = createCursors(Id);

/** Imports of conversations: uploads, decisions, and their list. The work itself is done by jobs. */
export function importService(dependencies: Dependencies) {
  const { db } = dependencies;
  const inProgress = new Set<string>();

  async function find(userId: number, id: number): Promise<Import> {
    const record = await importRepository(db).find(userId, id);
    if (!record || record.state === 'uploading') throw notFound();
    return toImport(record);
  }

  const deciding = (act: typeof start) => async (actor: Actor, id: number) => {
    await act(dependencies, actor, id);
    return find(actor.userId, id);
  };

  return {
    find,
    async list(userId: number, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
      const before = cursor === undefined ? undefined : cursors.decode(cursor);
      const found = await importRepository(db).page(userId, before, limit + 1);
      const { items, nextCursor } = toPage(found, limit, ({ id }) => cursors.encode(id));
      return { items: items.map(toImport), nextCursor };
    },
    async upload(actor: Actor, contentLength: number | undefined, receive: Receive<object>) {
      await checkRoom(dependencies, contentLength);
      return find(actor.userId, await upload(dependencies, inProgress, actor, receive));
    },
    start: deciding(start),
    cancel: deciding(cancel),
    undo: deciding(undo),
    sweep: () => sweep(dependencies, inProgress),
  };
}

export type ImportService = ReturnType<typeof importService>;
