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
/** `underWay`: the keys of what this process is taking in. */
type Work = Dependencies & { underWay: Set<string> };

const atOnce = 2;
/** What a form may add to the file in it. */
const formBytes = 64 * 1024;
const inMegabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(2)} MB`;

const tooLarge = () => new AppError('too_large', `The file would be larger than ${fileSizeLimit / 1024 / 1024} MB.`);

/** What is made may not be larger than what may be uploaded, nor than the room that was reserved for it. */
async function* limited(content: AsyncIterable<Buffer>, reserved = fileSizeLimit) {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > fileSizeLimit) throw tooLarge();
    if (size > reserved)
      throw new AppError(
        'quota_exceeded',
        `The file would go beyond the ${inMegabytes(storageLimit)} that you can keep. Delete some files first.`,
      );
    yield chunk;
  }
}

const noSpace = (cause?: unknown) =>
  new AppError('no_space', 'The server has no room for more files. Please tell its operator.', { cause });
const refused = (field: 'file' | 'purpose', message: string) =>
  new AppError('invalid_input', message, { fields: { [field]: message } });

/** Somebody on the pages, or a program of theirs. */
type Uploader = Pick<Actor, 'userId' | 'stillMay'>;

type Taken = Awaited<ReturnType<UploadRepository['taken']>>;

/** @throws where there is no room for so many bytes */
function checkRoom(taken: Taken, bytes: number, isBesideUploads: boolean) {
  if (taken.underWay >= atOnce && !isBesideUploads)
    throw new AppError('rate_limited', 'Two files are being uploaded already. Please wait for one of them.', {
      retryAfterSeconds: 1,
    });
  if (taken.files >= fileCountLimit)
    throw new AppError(
      'quota_exceeded',
      `You have ${fileCountLimit} files, which is as many as can be kept. Delete some first.`,
    );
  if (taken.bytes + bytes > storageLimit)
    throw new AppError(
      'quota_exceeded',
      `This file would go beyond the ${inMegabytes(storageLimit)} that you can keep; ${inMegabytes(storageLimit - taken.bytes)} are left. Delete some files first.`,
    );
}

type Wanted = {
  /** undefined: nobody knows; then as much as is left for a file. */
  bytes: number | undefined;
  /** What nobody uploads does not wait for those who do. */
  isBesideUploads?: boolean;
};
type Reserved = { uploadId: number; bytes: number };

const reserve = (
  { db, instance }: Dependencies,
  userId: number,
  storageKey: FileKey,
  { bytes: wanted, isBesideUploads = false }: Wanted,
): Promise<Reserved> =>
  db.transaction().execute(async (trx) => {
    const uploads = uploadRepository(trx);
    if (!(await fileRepository(trx).lock(userId))) throw new AppError('not_signed_in', 'Please sign in.');
    const taken = await uploads.taken(userId);
    const bytes = wanted ?? Math.max(1, Math.min(fileSizeLimit, storageLimit - taken.bytes));
    checkRoom(taken, bytes, isBesideUploads);
    return { uploadId: await uploads.insert(userId, storageKey, bytes, instance), bytes };
  });

type StoredBytes = { filename: string; type: string; size: number; sha256: string; storageKey: FileKey };

/** Stores the bytes while counting and hashing them. */
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
    if (size === 0) throw refused('file', 'The file is empty.');
  }
  try {
    await store.put(storageKey, measured());
  } catch (error) {
    throw isDiskFull(error) ? noSpace(error) : error;
  }
  return { filename: cleanName(filename), type: cleanType(type), size, sha256: hash.digest('hex'), storageKey };
}

/** The reservation goes in the transaction that the file comes in: while there is one, there is no file. */
async function commit(
  { db, hasKey }: Dependencies,
  { userId, stillMay }: Uploader,
  uploadId: number,
  stored: StoredBytes & Pick<StoredFile, 'madeByAssistant' | 'datasetId'>,
  purpose: FilePurpose,
  link?: (trx: Kysely<Database>, fileId: number) => Promise<void>,
): Promise<number> {
  const state = (await hasKey(userId)) ? 'queued' : 'waiting_for_key';
  return db.transaction().execute(async (trx) => {
    await stillMay(trx);
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

/** Gives the room back and has the bytes removed, unless the file was committed after all. */
async function discard({ db, log }: Dependencies, uploadId: number, storedKey: string) {
  await db.transaction().execute(async (trx) => {
    if (await uploadRepository(trx).delete(uploadId)) await storeRemovalOfBytes(trx, [storedKey], log);
  });
}

/** Reserves room for so many bytes, has the file stored and committed in it; what fails leaves nothing behind. */
async function takeIn(
  work: Work,
  userId: number,
  wanted: Wanted,
  storeAndCommit: (reserved: Reserved, storageKey: FileKey) => Promise<number>,
): Promise<File> {
  const { db, log, underWay } = work;
  const storageKey = newFileKey();
  let fileId: number;
  // Before it is reserved: where the answer to that is lost, the room is given back by the next sweep.
  underWay.add(storageKey);
  try {
    const reserved = await reserve(work, userId, storageKey, wanted);
    try {
      fileId = await storeAndCommit(reserved, storageKey);
    } catch (error) {
      const { uploadId } = reserved;
      await discard(work, uploadId, storageKey).catch((failure: unknown) =>
        log.error({ err: failure, uploadId }, 'a refused upload could not be cleared away yet'),
      );
      throw error;
    }
  } finally {
    underWay.delete(storageKey);
  }
  const file = await fileRepository(db).find(userId, fileId);
  if (!file) throw new AppError('not_found', 'The file was deleted in the meantime.');
  return file;
}

/**
 * Removes what processes that are gone were receiving, and what this one could not clear away while the database was away.
 * Returns how many uploads those were.
 */
async function sweep(work: Work): Promise<number> {
  const { db, instance, isGone, underWay } = work;
  let swept = 0;
  for (const { id, storedKey, instance: receiver } of await uploadRepository(db).all()) {
    const isLeft = receiver === instance ? !underWay.has(storedKey) : await isGone(receiver);
    if (!isLeft) continue;
    await discard(work, id, storedKey);
    swept++;
  }
  return swept;
}

type MadeFile = {
  filename: string;
  type: string;
  purpose: FilePurpose;
  content: AsyncIterable<Buffer>;
  /** The dataset that it comes from. */
  datasetId?: number | null;
};

/** What a tool of the provider has made for an answer. */
export type GeneratedForAnswer = {
  filename: string;
  /** As far as the provider says. */
  bytes: number | undefined;
  content: AsyncIterable<Buffer>;
  /** First in the transaction that it comes in. @throws where nothing wants it any more */
  isWanted: (trx: Kysely<Database>) => Promise<void>;
  /** Once the bytes are there: what the file is called, and what belongs to it, in the same transaction. */
  place: (
    stored: StoredFile,
  ) => Promise<{ filename: string; link: (trx: Kysely<Database>, fileId: number) => Promise<void> }>;
};

async function checkDisk({ store, minFreeBytes }: Dependencies) {
  const free = await store.freeBytes();
  if (free !== undefined && free < minFreeBytes) throw noSpace();
}

/**
 * Kept and forwarded like an uploaded one.
 * @throws AppError where there is no room for it
 */
async function keepMade(
  work: Work,
  buffers: BufferCollector,
  userId: number,
  { filename, bytes: said, content, isWanted, place }: GeneratedForAnswer,
) {
  if (said !== undefined && said > fileSizeLimit) throw tooLarge();
  await checkDisk(work);
  const wanted = { bytes: said, isBesideUploads: true };
  await takeIn(work, userId, wanted, async ({ uploadId, bytes }, storageKey) => {
    const incoming = { filename, type: '', content: limited(content, bytes) };
    const stored = { ...(await storeBytes(work.store, buffers, storageKey, incoming)), madeByAssistant: true };
    const { filename: name, link } = await place({ ...stored, purpose: 'user_data' });
    const uploader = { userId, stillMay: isWanted };
    return commit(work, uploader, uploadId, { ...stored, filename: name }, 'user_data', link);
  });
}

/** Takes files in: room is reserved first, then the bytes come, then the file is committed with its forwarding. */
export function uploadService(dependencies: Dependencies) {
  const { store } = dependencies;
  const work = { ...dependencies, underWay: new Set<string>() };
  const buffers = bufferCollector();

  return {
    /** A file that Roster itself makes: kept and forwarded like an uploaded one. */
    make: (actor: Actor, made: MadeFile): Promise<File> =>
      takeIn(work, actor.userId, { bytes: fileSizeLimit }, async ({ uploadId }, storageKey) => {
        const content = limited(made.content);
        const stored = await storeBytes(store, buffers, storageKey, { ...made, content });
        return commit(work, actor, uploadId, { ...stored, datasetId: made.datasetId ?? null }, made.purpose);
      }),

    /** A file that a tool of the provider has made. */
    keepMade: (userId: number, made: GeneratedForAnswer) => keepMade(work, buffers, userId, made),

    async upload(
      uploader: Uploader,
      contentLength: number | undefined,
      receive: Receive<{ purpose: FilePurpose }>,
    ): Promise<File> {
      if (contentLength !== undefined && contentLength > fileSizeLimit + formBytes)
        throw new AppError('too_large', `The file is larger than ${fileSizeLimit / 1024 / 1024} MB.`);
      await checkDisk(work);
      const bytes = Math.min(contentLength ?? fileSizeLimit, fileSizeLimit);
      return takeIn(work, uploader.userId, { bytes }, async ({ uploadId }, storageKey) => {
        const { fields, file } = await receive((incoming) => storeBytes(store, buffers, storageKey, incoming));
        if (fields.purpose === 'fine-tune' && !/\.jsonl$/i.test(file.filename))
          throw refused('file', 'A file for fine-tuning must be JSONL, with a name that ends in .jsonl.');
        return commit(work, uploader, uploadId, file, fields.purpose);
      });
    },

    sweep: () => sweep(work),
  };
}
