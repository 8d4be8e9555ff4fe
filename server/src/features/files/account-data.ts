import { portableName } from '@roster/contracts/text/name';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { AccountRemovalPart, ExportPart } from '#server/features/feature';
import type { FileKey, FileStore } from '#server/storage/file-store';
import { cleanName } from './labels.ts';
import { fileRepository, requireFileKey } from './repository.ts';

/**
 * Windows unpacks no file whose path is longer than 260 characters, and the chosen folder may take half of that. The
 * index has the full name.
 */
const nameBytes = 120;

/** The start of a name, and its extension. */
function withinBytes(name: string): string {
  if (Buffer.byteLength(name) <= nameBytes) return name;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  let kept = '';
  for (const sign of name) {
    if (Buffer.byteLength(kept + sign + ending) > nameBytes) break;
    kept += sign;
  }
  return kept + ending;
}

/** The files in the account export: as they were uploaded, with a number so that none hides another. */
export function fileExport(db: Kysely<Database>, store: FileStore): ExportPart {
  return {
    description: [
      'files/INDEX.jsonl              each file with its name, type, size and checksum',
      'files/<number>-<name>          the files themselves, as they were uploaded or made',
    ],
    async *entries(userId) {
      const files = (await fileRepository(db).all(userId)).map((file, index) => ({
        ...file,
        name: `files/${portableName(`${index + 1}-${withinBytes(cleanName(file.filename))}`)}`,
      }));
      const lines = files.map(({ name, filename, type, size, sha256, purpose, createdAt, madeByAssistant }) =>
        JSON.stringify({
          file: name,
          filename,
          type,
          size,
          sha256,
          purpose,
          createdAt,
          ...(madeByAssistant === 1 && { madeByAssistant: true }),
        }),
      );
      yield { name: 'files/INDEX.jsonl', content: lines.map((line) => `${line}\n`) };
      for (const { id, name, storedKey } of files) yield { name, content: bytesOf(requireFileKey(storedKey, id)) };
    },
  };

  /** Opened when its turn comes: a thousand open files are too many. */
  async function* bytesOf(storageKey: FileKey): AsyncGenerator<Buffer> {
    for await (const piece of await store.read(storageKey)) yield piece;
  }
}

/** The rows are deleted with the account; the bytes by jobs stored in the same transaction. */
export const fileRemovalPart = (
  removeAllOf: (trx: Kysely<Database>, userId: number) => Promise<void>,
): AccountRemovalPart => ({
  atRest: (_userId, next) => next(),
  async remove(trx, userId) {
    await removeAllOf(trx, userId);
    return true;
  },
});
