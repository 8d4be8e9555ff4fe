import type { LoginProvider } from '@roster/contracts/auth';
import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';

const settingName = (provider: LoginProvider) => `issuer_of_${provider}`;

/**
 * The issuer of an identity. Rows without one were written by a version that did not store issuers. They belong to the
 * issuer configured when a version that stores them first started, whatever is configured now.
 */
export const storedIssuer = sql<string | null>`coalesce(identities.issuer,
  (select value from settings where settings.name = 'issuer_of_' || identities.provider))`;

/** Stores, once and permanently, the issuer of a provider's rows without one, and writes it into them. */
export async function storeIssuer(db: Kysely<Database>, provider: LoginProvider, value: string) {
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('settings')
      .values({ name: settingName(provider), value })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    // Skips identities that the last release stored a second time: a user has one identity per issuer, and an
    // identity one account.
    await sql`update identities set issuer = ${storedIssuer} where provider = ${provider} and issuer is null
      and not exists (select 1 from identities other where other.provider = identities.provider
        and (other.subject = identities.subject or other.user_id = identities.user_id)
        and other.issuer = ${storedIssuer})`.execute(trx);
  });
}
