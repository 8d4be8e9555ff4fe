import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { Ids } from '#server/features/public-api/shared/ids';
import { providerFileRepository } from './provider-file-repository.ts';

/**
 * Public file ids: Roster's own, or the provider's id of a copy, which clients from before Roster have in their
 * configuration.
 */
export function createFileIds(db: Kysely<Database>, ids: () => Promise<Ids>) {
  async function numbersOf(userId: number, named: readonly string[]): Promise<Map<string, number>> {
    // The first use creates the installation's key. Calls that name nothing, and may yet be refused, must not cause
    // that.
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
    /** Returns a function from numeric to public ids. */
    async named(): Promise<(fileId: number) => string> {
      const { encode } = await ids();
      return (fileId) => encode('file', fileId);
    },
    /** Files that belong to the user now; others are left out. */
    numbersOf,
    /** The same, with Roster's public ids. */
    async found(userId: number, named: readonly string[]): Promise<Map<string, string>> {
      const numbers = await numbersOf(userId, named);
      if (numbers.size === 0) return new Map();
      const { encode } = await ids();
      return new Map([...numbers].map(([name, id]) => [name, encode('file', id)]));
    },
    /** Which of these belong to the user now. */
    present: (userId: number, fileIds: readonly number[]): Promise<Set<number>> =>
      providerFileRepository(db).own(userId, [...new Set(fileIds)]),
    /** Provider ids of these files' copies, by numeric id. */
    atProvider: (userId: number, fileIds: readonly number[]): Promise<Map<number, string>> =>
      providerFileRepository(db).atProvider(userId, [...new Set(fileIds)]),
    /** All of the user's files at the provider, by provider id. */
    copies: (userId: number): Promise<Map<string, number>> => providerFileRepository(db).all(userId),
    /** Place in the list; a file deleted since has one too. */
    async placeOf(userId: number, id: string): Promise<number | undefined> {
      const number = (await ids()).decode('file', id);
      return number ?? new Map(await providerFileRepository(db).copies(userId, [id])).get(id);
    },
  };
}

export type FileIds = ReturnType<typeof createFileIds>;
