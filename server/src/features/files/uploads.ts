import { createHash } from 'node:crypto';
import {
  type File,
  type FilePurpose,
  fileCountLimit,
  fileSizeLimit,
  storageLimit,
} from '@roster/contracts/files/files';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { IncomingFile, Receive } from '#server/http/multipart';
import { enqueue } from '#server/jobs/queue';
import { type BufferCollector, bufferCollector } from '#server/lib/buffer-collector';
import { AppError, isDiskFull } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { type FileKey, type FileStore, newFileKey } from '#server/storage/file-store';
import { forwardJob } from './jobs.ts';
import { cleanName, cleanType } from './labels.ts';
import { providerFileRepository } from './provider-file-repository.ts';
import { storeRemovalOfBytes } from './remove-bytes.ts';
import { fileRepository, type StoredFile } from './repository.ts';
import { type UploadRepository, uploadRepository } from './upload-repository.ts';

type Dependencies = {
  db: Kysely<Database>;
  store: FileStore;
  instance: number;
  isGone: (instance: number) => Promise<boolean>;
  hasKey: (userId: number) => Promise<boolean>;
  minFreeBytes: number;
  log: FastifyBaseLogger;
};
/** `inProgress`: storage keys of this process's uploads in progress. */
type Work = Dependencies & { inProgress: Set<string> };

const atOnce = 2;
/** Bytes that a form may add to its file. */
const formBytes = 64 * 1024;
const inMegabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(2)} MB`;

const tooLarge = () => new AppError('too_large', `The file would be larger than ${fileSizeLimit / 1024 / 1024} MB.`);

/** Generated content may be larger neither than an upload nor than its reservation. */
async function* limited(content: AsyncIterable<Buffer>, reserved = fileSizeLimit) {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > fileSizeLimit) throw tooLarge();
    if (size > reserved)
      throw new AppError(
        'quota_exceeded',
        `The file would exceed your storage limit of ${inMegabytes(storageLimit)}. Delete some files first.`,
      );
    yield chunk;
  }
}

const noSpace = (cause?: unknown) =>
  new AppError('no_space', 'The server is out of storage for files. Please tell the operator.', { cause });
const invalidFile = (message: string) => new AppError('invalid_input', message, { fields: { file: message } });

/** A user on the pages, or one of their clients. */
type Uploader = Pick<Actor, 'userId' | 'recheckAccess'>;

type StorageUse = Awaited<ReturnType<UploadRepository['taken']>>;

/** @throws if there is no room for this many bytes */
function checkRoom(taken: StorageUse, bytes: number, isBesideUploads: boolean) {
  if (taken.inProgress >= atOnce && !isBesideUploads)
    throw new AppError('rate_limited', 'Two files are already being uploaded. Wait for one of them to finish.', {
      retryAfterSeconds: 1,
    });
  if (taken.files >= fileCountLimit)
    throw new AppError('quota_exceeded', `You have reached the limit of ${fileCountLimit} files. Delete some first.`);
  if (taken.bytes + bytes > storageLimit)
    throw new AppError(
      'quota_exceeded',
      `This file would exceed your storage limit of ${inMegabytes(storageLimit)}; ${inMegabytes(storageLimit - taken.bytes)} are left. Delete some files first.`,
    );
}

type UploadRequest = {
  /** undefined if unknown: then as much as is left for a file. */
  bytes: number | undefined;
  /** Files that nobody uploads do not wait for uploads. */
  isBesideUploads?: boolean;
};
type Reservation = { uploadId: number; bytes: number };

const reserve = (
  { db, instance }: Dependencies,
  userId: number,
  storageKey: FileKey,
  { bytes: wanted, isBesideUploads = false }: UploadRequest,
): Promise<Reservation> =>
  db.transaction().execute(async (trx) => {
    const uploads = uploadRepository(trx);
    if (!(await fileRepository(trx).lock(userId))) throw new AppError('not_signed_in', 'Please sign in.');
    const taken = await uploads.taken(userId);
    const bytes = wanted ?? Math.max(1, Math.min(fileSizeLimit, storageLimit - taken.bytes));
    checkRoom(taken, bytes, isBesideUploads);
    return { uploadId: await uploads.insert(userId, storageKey, bytes, instance), bytes };
  });

type StoredBytes = { filename: string; type: string; size: number; sha256: string; storageKey: FileKey };

/** Stores the bytes, and counts and hashes them. */
async function storeBytes(
  store: FileStore,
  buffers: BufferCollector,
  storageKey: FileKey,
  { filename, type, content }: IncomingFile,
): Promise<StoredBytes> {
  const hash = createHash('sha256');
  let size = 0;
  async function* measured() {
    for await (const chunk of content) {
      size += chunk.length;
      hash.update(chunk);
      yield chunk;
      buffers.passed(chunk.length);
    }
    if (size === 0) throw invalidFile('The file is empty.');
  }
  try {
    await store.put(storageKey, measured());
  } catch (error) {
    throw isDiskFull(error) ? noSpace(error) : error;
  }
  return { filename: cleanName(filename), type: cleanType(type), size, sha256: hash.digest('hex'), storageKey };
}

/** Deletes the reservation in the transaction that inserts the file: while there is one, there is no file. */
async function commit(
  { db, hasKey }: Dependencies,
  { userId, recheckAccess }: Uploader,
  uploadId: number,
  stored: StoredBytes & Pick<StoredFile, 'madeByAssistant' | 'datasetId' | 'imported'>,
  purpose: FilePurpose,
  link?: (trx: Kysely<Database>, fileId: number) => Promise<void>,
): Promise<number> {
  const state = (await hasKey(userId)) ? 'queued' : 'waiting_for_key';
  return db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    const files = fileRepository(trx);
    if (!(await uploadRepository(trx).delete(uploadId))) throw new AppError('not_signed_in', 'Please sign in.');
    const fileId = await files.insert(userId, { ...stored, purpose });
    const { filename, size: bytes, sha256 } = stored;
    const copyId = await providerFileRepository(trx).insert(
      userId,
      fileId,
      { filename, bytes, sha256, purpose },
      state,
    );
    await enqueue(trx, forwardJob, { userId, copyId });
    await link?.(trx, fileId);
    return fileId;
  });
}

/** Releases the room and has the bytes removed, unless the file was committed after all. */
async function discard({ db, log }: Dependencies, uploadId: number, storedKey: string) {
  await db.transaction().execute(async (trx) => {
    if (await uploadRepository(trx).delete(uploadId)) await storeRemovalOfBytes(trx, [storedKey], log);
  });
}

/** Reserves room, then stores and commits the file; a failure leaves nothing behind. */
async function receiveFile(
  work: Work,
  userId: number,
  wanted: UploadRequest,
  storeAndCommit: (reserved: Reservation, storageKey: FileKey) => Promise<number>,
): Promise<File> {
  const { db, log, inProgress } = work;
  const storageKey = newFileKey();
  let fileId: number;
  // Added before the reservation: if the answer to that is lost, the next sweep releases the room.
  inProgress.add(storageKey);
  try {
    const reserved = await reserve(work, userId, storageKey, wanted);
    try {
      fileId = await storeAndCommit(reserved, storageKey);
    } catch (error) {
      const { uploadId } = reserved;
      await discard(work, uploadId, storageKey).catch((failure: unknown) =>
        log.error({ err: failure, uploadId }, 'could not clean up a refused upload yet'),
      );
      throw error;
    }
  } finally {
    inProgress.delete(storageKey);
  }
  const file = await fileRepository(db).find(userId, fileId);
  if (!file) throw new AppError('not_found', 'The file was deleted in the meantime.');
  return file;
}

/**
 * Removes what dead processes were receiving, and what this one could not clean up while the database was unavailable.
 * Returns the number of uploads.
 */
async function sweep(work: Work): Promise<number> {
  const { db, instance, isGone, inProgress } = work;
  let swept = 0;
  for (const { id, storedKey, instance: receiver } of await uploadRepository(db).all()) {
    const isLeft = receiver === instance ? !inProgress.has(storedKey) : await isGone(receiver);
    if (!isLeft) continue;
    await discard(work, id, storedKey);
    swept++;
  }
  return swept;
}

type CreatedFile = {
  filename: string;
  type: string;
  purpose: FilePurpose;
  content: AsyncIterable<Buffer>;
  /** Dataset that it comes from. */
  datasetId?: number | null;
};

/** A file that a tool of the provider has created for an answer, or that an import brings. */
export type GeneratedForAnswer = {
  filename: string;
  /** As reported by the provider. */
  bytes: number | undefined;
  content: AsyncIterable<Buffer>;
  imported?: { importId: number; sourceId: string; isGenerated: boolean; purpose: FilePurpose };
  /** Called first, in the transaction that inserts it. @throws if nothing wants it any more */
  isWanted: (trx: Kysely<Database>) => Promise<void>;
  /** Called once the bytes are there: names the file, and stores what belongs to it, in the same transaction. */
  place: (
    stored: StoredFile,
  ) => Promise<{ filename: string; link: (trx: Kysely<Database>, fileId: number) => Promise<void> }>;
};

async function checkDisk({ store, minFreeBytes }: Dependencies) {
  const free = await store.freeBytes();
  if (free !== undefined && free < minFreeBytes) throw noSpace();
}

/** Stores and forwards it like an upload. @throws AppError if there is no room for it */
async function storeGenerated(
  work: Work,
  buffers: BufferCollector,
  userId: number,
  { filename, bytes: expectedBytes, content, imported, isWanted, place }: GeneratedForAnswer,
) {
  if (expectedBytes !== undefined && expectedBytes > fileSizeLimit) throw tooLarge();
  await checkDisk(work);
  const wanted = { bytes: expectedBytes, isBesideUploads: true };
  await receiveFile(work, userId, wanted, async ({ uploadId, bytes }, storageKey) => {
    const incoming = { filename, type: '', content: limited(content, bytes) };
    const stored = {
      ...(await storeBytes(work.store, buffers, storageKey, incoming)),
      madeByAssistant: imported?.isGenerated ?? true,
      ...(imported && { imported }),
    };
    const purpose = imported?.purpose ?? 'user_data';
    const { filename: name, link } = await place({ ...stored, purpose });
    const uploader = { userId, recheckAccess: isWanted };
    return commit(work, uploader, uploadId, { ...stored, filename: name }, purpose, link);
  });
}

/** Receives files: reserves room, stores the bytes, then commits the file with its forwarding. */
export function uploadService(dependencies: Dependencies) {
  const { store } = dependencies;
  const work = { ...dependencies, inProgress: new Set<string>() };
  const buffers = bufferCollector();

  return {
    /** A file that Roster creates: stored and forwarded like an upload. */
    make: (actor: Actor, created: CreatedFile): Promise<File> =>
      receiveFile(work, actor.userId, { bytes: fileSizeLimit }, async ({ uploadId }, storageKey) => {
        const content = limited(created.content);
        const stored = await storeBytes(store, buffers, storageKey, { ...created, content });
        return commit(work, actor, uploadId, { ...stored, datasetId: created.datasetId ?? null }, created.purpose);
      }),

    /** A file that a tool of the provider has created. */
    storeGenerated: (userId: number, file: GeneratedForAnswer) => storeGenerated(work, buffers, userId, file),

    async upload(
      uploader: Uploader,
      contentLength: number | undefined,
      receive: Receive<{ purpose: FilePurpose }>,
    ): Promise<File> {
      if (contentLength !== undefined && contentLength > fileSizeLimit + formBytes)
        throw new AppError('too_large', `The file is larger than ${fileSizeLimit / 1024 / 1024} MB.`);
      await checkDisk(work);
      const bytes = Math.min(contentLength ?? fileSizeLimit, fileSizeLimit);
      return receiveFile(work, uploader.userId, { bytes }, async ({ uploadId }, storageKey) => {
        const { fields, file } = await receive((incoming) => storeBytes(store, buffers, storageKey, incoming));
        if (fields.purpose === 'fine-tune' && !/\.jsonl$/i.test(file.filename))
          throw invalidFile('A file for fine-tuning must be JSONL, with a name that ends in .jsonl.');
        return commit(work, uploader, uploadId, file, fields.purpose);
      });
    },

    /** How many files and bytes can still be stored. */
    async room(userId: number) {
      const { files, bytes } = await uploadRepository(dependencies.db).taken(userId);
      return { files: Math.max(0, fileCountLimit - files), bytes: Math.max(0, storageLimit - bytes) };
    },

    sweep: () => sweep(work),
  };
}
