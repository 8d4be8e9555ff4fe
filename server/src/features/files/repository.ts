import type { File, FilePurpose, FileSort } from '@roster/contracts/files/files';
import { type Kysely, sql } from 'kysely';
import { lockUser } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import { type FileKey, fileKeyOf } from '#server/storage/file-store';

export type StoredFile = {
  filename: string;
  type: string;
  size: number;
  sha256: string;
  storageKey: FileKey;
  purpose: FilePurpose;
  madeByAssistant?: boolean;
  /** Dataset that it comes from. */
  datasetId?: number | null;
  /** The import that brings it, and its id in the export. */
  imported?: { importId: number; sourceId: string };
};

/** Start of a page: after the file with this id, which has this value in the list's order. */
export type PageCursor = { value: string | number; id: number };

type Page = {
  limit: number;
  sort: FileSort;
  after: PageCursor | undefined;
  purpose: FilePurpose | undefined;
  madeByAssistant?: boolean | undefined;
  q: string | undefined;
};

/** Rejects a row that was edited by hand, or restored from such a backup. */
export function requireFileKey(stored: string, id: number): FileKey {
  const key = fileKeyOf(stored);
  if (key !== undefined) return key;
  const message = 'The record of this file is damaged, so its contents cannot be found. Please tell the operator.';
  throw new AppError('internal', message, { cause: new Error(`the row of file ${id} names no stored bytes`) });
}

/** A name as it is searched and sorted. */
const nameKey = (name: string) => name.normalize('NFKC').toLowerCase();

const orders = {
  newest: { column: 'files.id', direction: 'desc' },
  oldest: { column: 'files.id', direction: 'asc' },
  name: { column: 'files.name_key', direction: 'asc' },
  size: { column: 'files.size', direction: 'desc' },
} as const;

const pattern = (words: string) => `%${nameKey(words).replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;

export function fileRepository(db: Kysely<Database>) {
  const shown = (userId: number) =>
    db
      .selectFrom('files')
      .leftJoin('provider_copies as copy', (join) =>
        join.onRef('copy.file_id', '=', 'files.id').onRef('copy.purpose', '=', 'files.purpose'),
      )
      .select([
        'files.id',
        'files.filename',
        'files.type',
        'files.size',
        'files.purpose',
        'files.made_by_assistant',
        'files.created_at',
        'copy.state',
        'copy.error',
      ])
      .select((eb) =>
        eb
          .selectFrom('file_uses')
          .whereRef('file_uses.file_id', '=', 'files.id')
          .select((inner) => inner.fn.countAll<number>().as('uses'))
          .as('used_by'),
      )
      .where('files.user_id', '=', userId);

  type Row = Awaited<ReturnType<ReturnType<typeof shown>['executeTakeFirstOrThrow']>>;

  const toFile = (row: Row): File => ({
    id: row.id,
    filename: row.filename,
    type: row.type,
    size: row.size,
    date: row.created_at,
    createdAt: row.created_at,
    purpose: row.purpose,
    madeByAssistant: row.made_by_assistant === 1,
    usedBy: row.used_by ?? 0,
    // A copy that is being removed belongs to no file.
    provider: { state: row.state === null || row.state === 'removing' ? 'queued' : row.state, error: row.error },
  });

  return {
    /** Makes the user's other uploads wait, so that together they respect the quota. */
    lock: (userId: number) => lockUser(db, userId),
    async page(
      userId: number,
      { limit, sort, after, purpose, madeByAssistant, q }: Page,
    ): Promise<(File & { key: string })[]> {
      const { column, direction } = orders[sort];
      let query = shown(userId).select('files.name_key').limit(limit);
      if (purpose) query = query.where('files.purpose', '=', purpose);
      if (madeByAssistant !== undefined) query = query.where('files.made_by_assistant', '=', madeByAssistant ? 1 : 0);
      if (q) query = query.where(sql<boolean>`files.name_key like ${pattern(q)} escape '\\'`);
      if (after) {
        const { value, id } = after;
        const beyond = direction === 'asc' ? '>' : '<';
        query = query.where((eb) =>
          eb.or([eb(column, beyond, value), eb.and([eb(column, '=', value), eb('files.id', beyond, id)])]),
        );
      }
      const rows = await query.orderBy(column, direction).orderBy('files.id', direction).execute();
      return rows.map((row) => ({ ...toFile(row), key: row.name_key }));
    },
    async find(userId: number, id: number): Promise<File | undefined> {
      const row = await shown(userId).where('files.id', '=', id).executeTakeFirst();
      return row && toFile(row);
    },
    /** Data of a file that is needed to read its bytes. */
    async stored(userId: number, id: number): Promise<StoredFile | undefined> {
      const row = await db
        .selectFrom('files')
        .selectAll()
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row) return undefined;
      const { filename, type, size, sha256, storage_key, purpose, dataset_id: datasetId } = row;
      return { filename, type, size, sha256, storageKey: requireFileKey(storage_key, id), purpose, datasetId };
    },
    /** Includes the names of their bytes, as stored. */
    async all(userId: number) {
      return db
        .selectFrom('files')
        .select([
          'id',
          'filename',
          'storage_key as storedKey',
          'type',
          'size',
          'sha256',
          'purpose',
          'created_at as createdAt',
        ])
        .select('made_by_assistant as madeByAssistant')
        .where('user_id', '=', userId)
        .orderBy('id')
        .execute();
    },
    async insert(userId: number, file: StoredFile): Promise<number> {
      const { id } = await db
        .insertInto('files')
        .values({
          user_id: userId,
          filename: file.filename,
          name_key: nameKey(file.filename),
          type: file.type,
          size: file.size,
          sha256: file.sha256,
          storage_key: file.storageKey,
          purpose: file.purpose,
          made_by_assistant: file.madeByAssistant ? 1 : 0,
          dataset_id: file.datasetId ?? null,
          import_id: file.imported?.importId ?? null,
          source_id: file.imported?.sourceId ?? null,
          created_at: new Date().toISOString(),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    async delete(userId: number, id: number): Promise<{ filename: string; storedKey: string } | undefined> {
      return db
        .deleteFrom('files')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .returning(['filename', 'storage_key as storedKey'])
        .executeTakeFirst();
    },
    /** The files that an import has brought and nothing uses. */
    async importedUnused(userId: number, importId: number, limit: number): Promise<number[]> {
      const rows = await db
        .selectFrom('files')
        .select('id')
        .where('import_id', '=', importId)
        .where('user_id', '=', userId)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('file_uses').select('file_id').whereRef('file_uses.file_id', '=', 'files.id'))),
        )
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    async summary(userId: number) {
      const { total, bytes, used } = await db
        .selectFrom('files')
        .select((eb) => [
          eb.fn.countAll<number>().as('total'),
          sql<number>`coalesce(sum(files.size), 0)`.as('bytes'),
          sql<number>`coalesce(sum(case when exists (select 1 from file_uses where file_uses.file_id = files.id)
            then 1 else 0 end), 0)`.as('used'),
        ])
        .where('files.user_id', '=', userId)
        .executeTakeFirstOrThrow();
      return { totalFiles: total, storageUsedBytes: bytes, filesUsedByAi: used };
    },
  };
}

export type FileRepository = ReturnType<typeof fileRepository>;
