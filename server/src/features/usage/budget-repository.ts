import { type Kysely, sql } from 'kysely';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';

export type BudgetRecord = {
  id: number;
  assistantId: number | null;
  assistantName: string | null;
  amountUsd: number;
  warnAt: number;
  hardStop: boolean;
  tz: string;
};

/** Queried before every call that costs money. */
const listBudgets = prepared((db, at: Params<{ userId: number }>) =>
  db
    .selectFrom('budgets')
    .leftJoin('assistants', 'assistants.id', 'budgets.assistant_id')
    .selectAll('budgets')
    .select('assistants.name as assistant_name')
    .where('budgets.user_id', '=', at('userId'))
    .orderBy(sql`coalesce(budgets.assistant_id, 0)`),
);

export function budgetRepository(db: Kysely<Database>) {
  return {
    /** The general budget comes first. */
    async list(userId: number): Promise<BudgetRecord[]> {
      const rows = await listBudgets.all(db, { userId });
      return rows.map((row) => ({
        id: row.id,
        assistantId: row.assistant_id,
        assistantName: row.assistant_name,
        amountUsd: row.amount_usd,
        warnAt: row.warn_at,
        hardStop: row.hard_stop === 1,
        tz: row.tz,
      }));
    },
    async save(userId: number, budget: Omit<BudgetRecord, 'id' | 'assistantName'>): Promise<number> {
      const values = {
        amount_usd: budget.amountUsd,
        warn_at: budget.warnAt,
        hard_stop: budget.hardStop ? (1 as const) : (0 as const),
        tz: budget.tz,
      };
      const { id } = await db
        .insertInto('budgets')
        .values({ user_id: userId, assistant_id: budget.assistantId, ...values })
        .onConflict((conflict) => conflict.expression(sql`user_id, coalesce(assistant_id, 0)`).doUpdateSet(values))
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    async delete(userId: number, budgetId: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('budgets')
        .where('user_id', '=', userId)
        .where('id', '=', budgetId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

export type BudgetRepository = ReturnType<typeof budgetRepository>;
