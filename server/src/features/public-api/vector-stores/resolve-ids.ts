import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { Ids } from '#server/features/public-api/shared/ids';
import { clientVectorStoreRepository } from './repository.ts';

/** Parameters that databases accept in one query, with room for others. */
const namesAtOnce = 500;

/**
 * Finds a user's active vector stores by names that may be years old: Roster's ids or the provider's. Maps each known
 * name to the store's id.
 */
export function resolveStoreIds(db: Kysely<Database>, ids: () => Promise<Ids>) {
  const stores = clientVectorStoreRepository(db);
  return async function found(userId: number, names: readonly string[]): Promise<Map<string, string>> {
    const all = [...new Set(names)];
    const resolved = new Map<string, string>();
    if (all.length === 0) return resolved;
    const { decode, encode } = await ids();
    for (let at = 0; at < all.length; at += namesAtOnce) {
      const some = all.slice(at, at + namesAtOnce);
      const own = some.flatMap((name) => decode('vs', name) ?? []);
      for (const { id, providerStoreId, hasExpired } of await stores.named(userId, own, some)) {
        if (hasExpired) continue;
        const name = encode('vs', id);
        resolved.set(name, name);
        if (providerStoreId !== null) resolved.set(providerStoreId, name);
      }
    }
    return resolved;
  };
}
