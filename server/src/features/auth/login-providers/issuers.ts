import { type LoginProvider, loginProviders } from '@roster/contracts/auth';
import { type Kysely, sql } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';

type Configured = Pick<Config, LoginProvider>;

/** An issuer by its address: what tells its people from those of another one with the same subjects. */
export const normalizeIssuer = ({ href }: URL) => href.replace(/\/\.well-known\/.*$/, '').replace(/\/+$/, '');

/** undefined where none is configured. */
export function configuredIssuer({ google, github }: Configured, provider: LoginProvider): string | undefined {
  const url = provider === 'google' ? google?.issuer : github?.url;
  return url && normalizeIssuer(url);
}

const settingName = (provider: LoginProvider) => `issuer_of_${provider}`;

/**
 * The issuer of an identity. A row without one was written by a version that knew none: it belongs to the issuer that was
 * configured when a version that knows them first started, whatever is configured by now.
 */
export const storedIssuer = sql<string | null>`coalesce(identities.issuer,
  (select value from settings where settings.name = 'issuer_of_' || identities.provider))`;

/** Remembers what rows without an issuer belong to, once for good, and writes it into them. */
export async function storeIssuers(db: Kysely<Database>, config: Configured) {
  for (const provider of loginProviders) {
    const value = configuredIssuer(config, provider);
    if (value === undefined) continue;
    const setting = { name: settingName(provider), value };
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto('settings')
        .values(setting)
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
      // Not where the last release wrote an identity a second time: a person has one of an issuer, and it one account.
      await sql`update identities set issuer = ${storedIssuer} where provider = ${provider} and issuer is null
        and not exists (select 1 from identities other where other.provider = identities.provider
          and (other.subject = identities.subject or other.user_id = identities.user_id)
          and other.issuer = ${storedIssuer})`.execute(trx);
    });
  }
}
