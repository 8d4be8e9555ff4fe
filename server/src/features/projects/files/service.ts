import { unsearchableReason } from '@roster/contracts/files/searchable-files';
import { type ProjectFile, projectFileLimit } from '@roster/contracts/projects/projects';
import { providerNameIn } from '@roster/contracts/provider-name';
import type { Kysely } from 'kysely';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { Change } from '#server/features/assistants/knowledge/repository';
import type { Knowledge } from '#server/features/assistants/knowledge/service';
import type { SyncVectorStore } from '#server/features/assistants/knowledge/sync-vector-store';
import { projectNotFound } from '#server/features/projects/shared/not-found';
import { projectRepository } from '#server/features/projects/shared/repository';
import { jobHandler } from '#server/jobs/define';
import { AppError } from '#server/lib/errors';
import { indexProjectJob, queueProjectIndexing } from './queue.ts';
import { projectFileRepository, type StoredProjectFile } from './repository.ts';

type ProjectFileDependencies = {
  db: Kysely<Database>;
  /** Vector stores at the provider, which are filled and removed like those of assistants. */
  stores: {
    insert: (trx: Kysely<Database>, userId: number) => Promise<number>;
    fill: SyncVectorStore;
    release: (trx: Kysely<Database>, userId: number, storeId: number) => Promise<void>;
  };
  /** Uploads a file to the provider again. */
  retryCopy: (userId: number, fileId: number) => Promise<void>;
  providerName: string;
  onProblem: (error: unknown) => void;
};

const waitingForKey = 'It will be indexed once you add your API key in Settings.';
const tooMany = `A project can have at most ${projectFileLimit} files`;
const notItsFile = () => new AppError('not_found', 'This project does not have this file.');

function noFile(): AppError {
  const message = 'This file does not exist.';
  return new AppError('not_found', message, { fields: { fileIds: message } });
}

const notServed = (providerName: string) =>
  `${providerNameIn('beginning', providerName)} has no file search. The file stays with the project; answers do without it.`;

/** A file that is not in the store yet shows the state of its provider copy. */
function toProjectFile(row: StoredProjectFile, storeError: string | null, providerName: string): ProjectFile {
  const { fileId, filename, size, addedAt, copy } = row;
  const file = { fileId, filename, size, addedAt };
  if (row.state !== 'waiting') return { ...file, state: row.state, error: row.error };
  if (copy?.state === 'failed') return { ...file, state: 'failed', error: copy.error };
  if (copy?.state === 'not_served') return { ...file, state: 'not_served', error: notServed(providerName) };
  const error = copy?.state === 'waiting_for_key' ? waitingForKey : (row.error ?? copy?.error ?? storeError);
  return { ...file, state: 'waiting', error };
}

async function list({ db, providerName }: ProjectFileDependencies, userId: number, projectId: number) {
  if (!(await projectRepository(db).find(userId, projectId))) throw projectNotFound();
  const files = projectFileRepository(db);
  const store = await files.store(userId, projectId);
  return (await files.of(userId, projectId)).map((row) => toProjectFile(row, store?.error ?? null, providerName));
}

/** Runs `work` on a project of this user, which is not deleted meanwhile, and then indexes its files. */
const change = (
  db: Kysely<Database>,
  userId: number,
  projectId: number,
  work: (files: ReturnType<typeof projectFileRepository>) => Promise<void>,
) =>
  db.transaction().execute(async (trx) => {
    await lockUserRow(trx, userId);
    if (!(await projectRepository(trx).find(userId, projectId))) throw projectNotFound();
    await work(projectFileRepository(trx));
    await queueProjectIndexing(trx, userId, projectId);
  });

function newFile(fileId: number, filename: string) {
  const error = unsearchableReason(filename) ?? null;
  return { fileId, state: error === null ? ('waiting' as const) : ('failed' as const), error };
}

async function add(dependencies: ProjectFileDependencies, userId: number, projectId: number, fileIds: number[]) {
  await change(dependencies.db, userId, projectId, async (files) => {
    const wanted = [...new Set(fileIds)];
    const names = await files.hold(userId, wanted);
    if (names.size !== wanted.length) throw noFile();
    const current = new Set((await files.of(userId, projectId)).map(({ fileId }) => fileId));
    const added = wanted.filter((fileId) => !current.has(fileId));
    if (current.size + added.length > projectFileLimit)
      throw new AppError('invalid_input', tooMany, { fields: { fileIds: tooMany } });
    if (added.length > 0)
      await files.insert(
        userId,
        projectId,
        added.map((fileId) => newFile(fileId, names.get(fileId) ?? '')),
      );
  });
  return list(dependencies, userId, projectId);
}

async function retry(dependencies: ProjectFileDependencies, userId: number, projectId: number, fileId: number) {
  const file = (await list(dependencies, userId, projectId)).find((one) => one.fileId === fileId);
  if (!file) throw notItsFile();
  const reason = unsearchableReason(file.filename);
  if (reason !== undefined) throw new AppError('unsupported_media_type', reason);
  await dependencies.retryCopy(userId, fileId);
  await change(dependencies.db, userId, projectId, (files) => files.restart(userId, { projectId, fileId }));
  return list(dependencies, userId, projectId);
}

function unsearchedNotes(files: { state: string }[]): string[] {
  if (files.length === 0) return [];
  const left = files.filter(({ state }) => state === 'waiting' || state === 'indexing').length;
  if (left === 0) return ['The project’s files could not be searched: see its page for the reason.'];
  return [
    left === 1
      ? 'One file of this project is still being indexed and was not searched.'
      : `${left} files of this project are still being indexed and were not searched.`,
  ];
}

async function forAnswer(
  { db, onProblem }: ProjectFileDependencies,
  userId: number,
  projectId: number,
): Promise<Knowledge> {
  const files = await projectFileRepository(db).forAnswer(userId, projectId);
  const ready = files.filter(({ state }) => state === 'ready');
  const storeId = ready[0]?.storeId ?? null;
  if (storeId === null) return { search: undefined, notes: unsearchedNotes(files) };
  const searched = new Map(
    ready.flatMap(({ indexedFileId, fileId, filename }) =>
      indexedFileId === null ? [] : [[indexedFileId, { fileId, filename }]],
    ),
  );
  const onRefused = () => void queueProjectIndexing(db, userId, projectId).catch(onProblem);
  return { search: { storeIds: [storeId], files: searched, onRefused }, notes: [] };
}

/** The project's store; undefined: it has none and needs none. */
const storeOf = ({ db, stores }: ProjectFileDependencies, userId: number, projectId: number) =>
  db.transaction().execute(async (trx) => {
    await lockUserRow(trx, userId);
    const files = projectFileRepository(trx);
    const store = await files.store(userId, projectId);
    if (store) return store.id;
    if ((await files.of(userId, projectId)).length === 0) return undefined;
    const storeId = await stores.insert(trx, userId);
    await files.setStore(userId, projectId, storeId);
    return storeId;
  });

/** Call it in the transaction that deletes a project, or after its last file was removed. */
async function releaseStore(
  { stores }: Pick<ProjectFileDependencies, 'stores'>,
  trx: Kysely<Database>,
  userId: number,
  projectId: number,
) {
  const files = projectFileRepository(trx);
  const store = await files.store(userId, projectId);
  if (!store) return;
  await files.setStore(userId, projectId, null);
  await stores.release(trx, userId, store.id);
}

/** Brings the vector store of a project in line with its files. There is a store while there are files. */
async function index(dependencies: ProjectFileDependencies, userId: number, projectId: number) {
  const { db, stores, providerName } = dependencies;
  const storeId = await storeOf(dependencies, userId, projectId);
  if (storeId === undefined) return;
  const files = projectFileRepository(db);
  const explained = (to: Change) => (to.state === 'not_served' ? { ...to, error: notServed(providerName) } : to);
  await stores.fill<StoredProjectFile>(userId, storeId, {
    name: 'Roster project',
    rows: () => files.of(userId, projectId),
    change: (row, to) => files.change(row, explained(to)),
    again: (inMs) => queueProjectIndexing(db, userId, projectId, inMs),
    whenEmpty: () => db.transaction().execute((trx) => releaseStore(dependencies, trx, userId, projectId)),
    waitsForKey: true,
  });
}

/** Files that are searched in all conversations of a project. */
export function projectFileService(dependencies: ProjectFileDependencies) {
  const { db } = dependencies;
  return {
    list: (userId: number, projectId: number) => list(dependencies, userId, projectId),
    add: (userId: number, projectId: number, fileIds: number[]) => add(dependencies, userId, projectId, fileIds),
    remove: (userId: number, projectId: number, fileId: number) =>
      change(db, userId, projectId, async (files) => {
        await files.hold(userId, [fileId]);
        if (!(await files.delete(userId, projectId, fileId))) throw notItsFile();
      }),
    retry: (userId: number, projectId: number, fileId: number) => retry(dependencies, userId, projectId, fileId),
    /** Takes one query. */
    forAnswer: (userId: number, projectId: number) => forAnswer(dependencies, userId, projectId),
    /** Adds files to a new project. Call in a transaction. */
    async attach(trx: Kysely<Database>, userId: number, projectId: number, fileIds: number[]) {
      if (fileIds.length === 0) return;
      const files = projectFileRepository(trx);
      const names = await files.hold(userId, fileIds);
      const added = fileIds.filter((fileId) => names.has(fileId));
      if (added.length === 0) return;
      await files.insert(
        userId,
        projectId,
        added.map((fileId) => newFile(fileId, names.get(fileId) ?? '')),
      );
      await queueProjectIndexing(trx, userId, projectId);
    },
    /** Call it in the transaction that deletes the project. */
    async release(trx: Kysely<Database>, userId: number, projectId: number) {
      await projectFileRepository(trx).forgetUses(userId, projectId);
      await releaseStore(dependencies, trx, userId, projectId);
    },
    /** Checks all files again with the new key. */
    keySaved: (userId: number) =>
      db.transaction().execute(async (trx) => {
        const files = projectFileRepository(trx);
        await files.restart(userId);
        for (const projectId of await files.projectsWithFiles(userId))
          await queueProjectIndexing(trx, userId, projectId);
      }),
    job: jobHandler(indexProjectJob, ({ userId, projectId }) => index(dependencies, userId, projectId)),
  };
}

export type ProjectFileService = ReturnType<typeof projectFileService>;
