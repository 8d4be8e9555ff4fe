import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { UnreadableExportError } from './conversation.ts';

const entriesLimit = 200_000;
const wantedLimit = 100_000;
/** JSON shrinks to a tenth. A file that unpacks to two hundred times its size was made to exhaust the server. */
const largestRatio = 200;
const suspiciousFrom = 50 * 1024 * 1024;
const unpackedLimit = 8 * 1024 * 1024 * 1024;

export type ArchiveEntry = { name: string; read: () => Promise<AsyncIterable<Buffer>> };

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

function checkEntry(entry: Entry) {
  if (entry.isEncrypted())
    throw new UnreadableExportError('The archive is protected by a password. Upload one without.');
  const { compressedSize, uncompressedSize } = entry;
  if (uncompressedSize > suspiciousFrom && uncompressedSize > compressedSize * largestRatio)
    throw new UnreadableExportError(
      'The archive unpacks to far more than an export contains. Roster does not read it.',
    );
}

/** The entries with these names, in the order of the archive. */
async function list(zip: ZipFile, isWanted: (name: string) => boolean): Promise<Entry[]> {
  if (zip.entryCount > entriesLimit)
    throw new UnreadableExportError(`The archive contains more than ${entriesLimit} files. Roster does not read it.`);
  const wanted: Entry[] = [];
  let unpacked = 0;
  for await (const entry of zip.eachEntry()) {
    if (!isWanted(entry.fileName)) continue;
    checkEntry(entry);
    unpacked += entry.uncompressedSize;
    wanted.push(entry);
    if (unpacked > unpackedLimit || wanted.length > wantedLimit)
      throw new UnreadableExportError('The archive contains more conversations than Roster can read at once.');
  }
  return wanted;
}

async function* bytesOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield chunk;
  } catch (error) {
    throw refusal(error);
  }
}

/** Files of a ZIP archive by name. Nothing is unpacked to disk. */
export async function openArchive(path: string, isWanted: (name: string) => boolean) {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false, validateEntrySizes: true }).catch(
    (error: unknown) => {
      throw refusal(error);
    },
  );
  try {
    const entries = await list(zip, isWanted);
    return {
      entries: entries.map(
        (entry): ArchiveEntry => ({
          name: entry.fileName,
          read: async () =>
            bytesOf(
              await zip.openReadStreamPromise(entry).catch((error: unknown) => {
                throw refusal(error);
              }),
            ),
        }),
      ),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw refusal(error);
  }
}
