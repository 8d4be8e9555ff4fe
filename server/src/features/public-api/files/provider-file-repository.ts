import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** Parameters that databases accept in one query, with room for others. */
const namesAtOnce = 500;

const inGroups = <T>(all: readonly T[]) =>
  Array.from({ length: Math.ceil(all.length / namesAtOnce) }, (_, at) =>
    all.slice(at * namesAtOnce, (at + 1) * namesAtOnce),
  );

/** A user's files, by numeric id and by the provider ids of their copies. */
export function providerFileRepository(db: Kysely<Database>) {
  return {
    /** Which of these exist. */
    async own(userId: number, ids: readonly number[]): Promise<Set<number>> {
      const found = new Set<number>();
      for (const group of inGroups(ids)) {
        const rows = await db
          .selectFrom('files')
          .select('id')
          .where('user_id', '=', userId)
          .where('id', 'in', group)
          .execute();
        for (const { id } of rows) found.add(id);
      }
      return found;
    },
    /** Files whose copies have these provider ids. */
    async copies(userId: number, providerIds: readonly string[]): Promise<[string, number][]> {
      const found: [string, number][] = [];
      for (const group of inGroups(providerIds)) {
        const rows = await db
          .selectFrom('provider_copies')
          .select(['provider_file_id', 'file_id'])
          .where('user_id', '=', userId)
          .where('provider_file_id', 'in', group)
          .where('file_id', 'is not', null)
          .execute();
        for (const { provider_file_id: id, file_id: file } of rows)
          if (id !== null && file !== null) found.push([id, file]);
      }
      return found;
    },
    /** Every copy that the provider has named, with its file. */
    async all(userId: number): Promise<Map<string, number>> {
      const rows = await db
        .selectFrom('provider_copies')
        .select(['provider_file_id', 'file_id'])
        .where('user_id', '=', userId)
        .where('provider_file_id', 'is not', null)
        .where('file_id', 'is not', null)
        .execute();
      return new Map(
        rows.flatMap(({ provider_file_id: id, file_id: file }): [string, number][] =>
          id === null || file === null ? [] : [[id, file]],
        ),
      );
    },
    /** Copies of these files for what the files are used for now. */
    async atProvider(userId: number, ids: readonly number[]): Promise<Map<number, string>> {
      const found = new Map<number, string>();
      for (const group of inGroups(ids)) {
        const rows = await db
          .selectFrom('files')
          .innerJoin('provider_copies as copy', (join) =>
            join.onRef('copy.file_id', '=', 'files.id').onRef('copy.purpose', '=', 'files.purpose'),
          )
          .select(['files.id', 'copy.provider_file_id as copyId'])
          .where('files.user_id', '=', userId)
          .where('files.id', 'in', group)
          .execute();
        for (const { id, copyId } of rows) if (copyId !== null) found.set(id, copyId);
      }
      return found;
    },
  };
}
