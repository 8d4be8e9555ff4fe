import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { UnreadableExportError } from './conversation.ts';

const entriesLimit = 200_000;
const wantedLimit = 100_000;
/** JSON shrinks to a tenth. A file that unpacks to two hundred times its size was made to exhaust the server. */
const largestRatio = 200;
const suspiciousFrom = 50 * 1024 * 1024;
const unpackedLimit = 8 * 1024 * 1024 * 1024;

export type ArchiveEntry = { name: string; size: number; read: () => AsyncIterable<Buffer> };

/** Names that lead out of the archive are refused by yauzl. */
const isUnsafeName = (error: unknown) =>
  error instanceof Error && /^(absolute path|invalid relative path|invalid characters)/.test(error.message);

function refusal(cause: unknown): UnreadableExportError {
  if (cause instanceof UnreadableExportError) return cause;
  const message = isUnsafeName(cause)
    ? 'The archive names files outside of itself. Roster does not read it.'
    : 'The archive is damaged or incomplete. Download the export again.';
  return new UnreadableExportError(message, { cause });
}

const isBomb = ({ compressedSize, uncompressedSize }: Entry) =>
  uncompressedSize > suspiciousFrom && uncompressedSize > compressedSize * largestRatio;
const isHarmless = (entry: Entry) => !entry.isEncrypted() && !isBomb(entry);

function checkEntry(entry: Entry) {
  if (entry.isEncrypted())
    throw new UnreadableExportError('The archive is protected by a password. Upload one without.');
  if (isBomb(entry))
    throw new UnreadableExportError(
      'The archive unpacks to far more than an export contains. Roster does not read it.',
    );
}

/** The entries with these names, and the other files that can be read, in the order of the archive. */
async function list(zip: ZipFile, isWanted: (name: string) => boolean): Promise<{ wanted: Entry[]; others: Entry[] }> {
  if (zip.entryCount > entriesLimit)
    throw new UnreadableExportError(`The archive contains more than ${entriesLimit} files. Roster does not read it.`);
  const wanted: Entry[] = [];
  const others: Entry[] = [];
  let unpacked = 0;
  for await (const entry of zip.eachEntry()) {
    if (!isWanted(entry.fileName)) {
      if (!entry.fileName.endsWith('/') && isHarmless(entry)) others.push(entry);
      continue;
    }
    checkEntry(entry);
    unpacked += entry.uncompressedSize;
    wanted.push(entry);
    if (unpacked > unpackedLimit || wanted.length > wantedLimit)
      throw new UnreadableExportError('The archive contains more conversations than Roster can read at once.');
  }
  return { wanted, others };
}

/** Opened when it is read: the error of a stream that nobody reads yet would end the process. */
async function* bytesOf(open: () => Promise<Readable>): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of await open()) yield chunk;
  } catch (error) {
    throw refusal(error);
  }
}

/** Files of a ZIP archive: `entries` are those that are wanted by name, `others` the rest. Nothing is unpacked to disk. */
export async function openArchive(path: string, isWanted: (name: string) => boolean) {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false, validateEntrySizes: true }).catch(
    (error: unknown) => {
      throw refusal(error);
    },
  );
  try {
    const { wanted, others } = await list(zip, isWanted);
    const toEntry = (entry: Entry): ArchiveEntry => ({
      name: entry.fileName,
      size: entry.uncompressedSize,
      read: () => bytesOf(() => zip.openReadStreamPromise(entry)),
    });
    return {
      entries: wanted.map(toEntry),
      others: others.map(toEntry),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw refusal(error);
  }
}
