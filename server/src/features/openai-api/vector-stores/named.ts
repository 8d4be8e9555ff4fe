import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { Ids } from '#server/features/openai-api/ids';
import { programStoreRepository } from './repository.ts';

type Dependencies = { db: Kysely<Database>; ids: () => Promise<Ids> };

/**
 * A person's vector stores that are searched now, by names that are years old perhaps: Roster's ids, or those that the provider has
 * given them. Each name that is known has the store's id.
 */
export function storesNamed({ db, ids }: Dependencies) {
  const stores = programStoreRepository(db);
  return async function found(userId: number, names: readonly string[]): Promise<Map<string, string>> {
    if (names.length === 0) return new Map();
    const { decode, encode } = await ids();
    const all = await stores.named(
      userId,
      names.flatMap((name) => decode('vs', name) ?? []),
      names,
    );
    return new Map(
      all
        .filter(({ hasExpired }) => !hasExpired)
        .flatMap(({ id, providerStoreId }): [string, string][] => {
          const own = encode('vs', id);
          return [[own, own], ...(providerStoreId === null ? [] : [[providerStoreId, own] as [string, string]])];
        }),
    );
  };
}

export type StoresNamed = ReturnType<typeof storesNamed>;
