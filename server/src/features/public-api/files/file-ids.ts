import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { Ids } from '#server/features/public-api/shared/ids';
import { providerFileRepository } from './provider-file-repository.ts';

type Dependencies = { db: Kysely<Database>; ids: () => Promise<Ids> };

/**
 * Files as programs name them: by one of our ids, or by the one that the provider has given to a copy, which programs from
 * before Roster have in their configuration.
 */
export function createFileIds({ db, ids }: Dependencies) {
  async function numbersOf(userId: number, named: readonly string[]): Promise<Map<string, number>> {
    // The first look at an id makes the installation's key: not for a call that may be refused, and names none.
    if (named.length === 0) return new Map();
    const { decode } = await ids();
    const decoded = new Map(named.map((id) => [id, decode('file', id)]));
    const ours = [...decoded.values()].filter((number) => number !== undefined);
    const others = [...decoded].filter(([, number]) => number === undefined).map(([id]) => id);
    const files = providerFileRepository(db);
    const [own, copies] = [await files.own(userId, ours), await files.copies(userId, others)];
    const found = new Map(copies);
    for (const [id, number] of decoded) if (number !== undefined && own.has(number)) found.set(id, number);
    return found;
  }

  return {
    idOf: async (fileId: number) => (await ids()).encode('file', fileId),
    /** What files are called, by our numbers. */
    async named(): Promise<(fileId: number) => string> {
      const { encode } = await ids();
      return (fileId) => encode('file', fileId);
    },
    /** Of those that are this person's files now; what is none, or another's, is not among them. */
    numbersOf,
    /** The same by the ids that they have here. */
    async found(userId: number, named: readonly string[]): Promise<Map<string, string>> {
      const numbers = await numbersOf(userId, named);
      if (numbers.size === 0) return new Map();
      const { encode } = await ids();
      return new Map([...numbers].map(([name, id]) => [name, encode('file', id)]));
    },
    /** Those of these numbers that are this person's files now. */
    present: (userId: number, fileIds: readonly number[]): Promise<Set<number>> =>
      providerFileRepository(db).own(userId, [...new Set(fileIds)]),
    /** What the provider calls its copies of these files, by our numbers. */
    atProvider: (userId: number, fileIds: readonly number[]): Promise<Map<number, string>> =>
      providerFileRepository(db).atProvider(userId, [...new Set(fileIds)]),
    /** All files of this person that the provider has, by what it calls them. */
    copies: (userId: number): Promise<Map<string, number>> => providerFileRepository(db).all(userId),
    /** Where a list goes on: a file that has been deleted since has its place too. */
    async placeOf(userId: number, id: string): Promise<number | undefined> {
      const number = (await ids()).decode('file', id);
      return number ?? new Map(await providerFileRepository(db).copies(userId, [id])).get(id);
    },
  };
}

export type FileIds = ReturnType<typeof createFileIds>;
