import type { Role } from '@roster/contracts/auth';
import { SecondFactorPolicy } from '@roster/contracts/second-factor';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';

/** The setting’s name; also in the query of every request (http/sessions/session-repository.ts). */
export const policySetting = 'second_factor_policy';
const dayMs = 24 * 60 * 60_000;

/** `since`: when it was first required of these people. */
const StoredPolicy = SecondFactorPolicy.extend({ since: z.string() });
type StoredPolicy = z.output<typeof StoredPolicy>;

const nobody: StoredPolicy = { requiredOf: 'nobody', graceDays: 7, since: '' };
const parse = (stored: string | undefined): StoredPolicy =>
  stored === undefined ? nobody : StoredPolicy.parse(JSON.parse(stored));

const concerns = ({ requiredOf }: StoredPolicy, role: Role) =>
  requiredOf === 'everybody' || (requiredOf === 'administrators' && role === 'Admin');

/** The grace period of an account that was made later begins with the account. */
const dueAt = ({ since, graceDays }: StoredPolicy, createdAt: string) =>
  new Date(Math.max(Date.parse(since), Date.parse(createdAt)) + graceDays * dayMs);

type Account = { role: Role; createdAt: string };

/** From when an account without a second factor can only set one up; null: it is not required of this account. */
export function secondFactorDue(stored: string | undefined, { role, createdAt }: Account): Date | null {
  const policy = parse(stored);
  return concerns(policy, role) ? dueAt(policy, createdAt) : null;
}

export function secondFactorPolicyRepository(db: Kysely<Database>) {
  const stored = async () =>
    (await db.selectFrom('settings').select('value').where('name', '=', policySetting).executeTakeFirst())?.value;
  return {
    stored,
    read: async (): Promise<StoredPolicy> => parse(await stored()),
    async save(policy: StoredPolicy) {
      const value = JSON.stringify(policy);
      await db
        .insertInto('settings')
        .values({ name: policySetting, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
    /** The number of active accounts without a second factor. */
    async countWithout(): Promise<number> {
      const { count } = await db
        .selectFrom('users')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('status', '=', 'Active')
        .where('id', 'not in', (eb) => eb.selectFrom('second_factors').select('user_id'))
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}
