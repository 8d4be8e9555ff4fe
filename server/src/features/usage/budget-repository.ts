import { type Kysely, sql } from 'kysely';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';

/** A monthly limit. */
export type BudgetTerms = { amountUsd: number; warnAt: number; hardStop: boolean; tz: string };
export type BudgetRecord = BudgetTerms & { id: number; assistantId: number | null; assistantName: string | null };
/** A call that costs money: the assistant that answers, and the conversation, if it belongs to one. */
export type BudgetedCall = { assistantId: number | null; threadId: number | null };
/** A limit that refuses calls: for all calls, for an assistant or for a project. */
export type HardStop = Pick<BudgetTerms, 'amountUsd' | 'tz'> & {
  assistantId: number | null;
  projectId: number | null;
  /** The assistant or the project. */
  name: string | null;
};

export const termColumns = ({ amountUsd, warnAt, hardStop, tz }: BudgetTerms) => ({
  amount_usd: amountUsd,
  warn_at: warnAt,
  hard_stop: hardStop ? (1 as const) : (0 as const),
  tz,
});

/** Queried before every call that costs money. A thread counts for the project that it is in now. */
const findHardStops = prepared((db, at: Params<BudgetedCall & { userId: number }>) =>
  db
    .selectFrom('budgets')
    .leftJoin('assistants', 'assistants.id', 'budgets.assistant_id')
    .select(['budgets.amount_usd as amountUsd', 'budgets.tz', 'budgets.assistant_id as assistantId'])
    .select([sql<number | null>`cast(null as integer)`.as('projectId'), 'assistants.name'])
    .where('budgets.user_id', '=', at('userId'))
    .where('budgets.hard_stop', '=', 1)
    .where(({ or, eb }) =>
      or([eb('budgets.assistant_id', 'is', null), eb('budgets.assistant_id', '=', at('assistantId'))]),
    )
    .unionAll(
      db
        .selectFrom('threads')
        .innerJoin('project_budgets', 'project_budgets.project_id', 'threads.project_id')
        .innerJoin('projects', 'projects.id', 'project_budgets.project_id')
        .select(['project_budgets.amount_usd as amountUsd', 'project_budgets.tz'])
        .select([sql<number | null>`cast(null as integer)`.as('assistantId')])
        .select(['project_budgets.project_id as projectId', 'projects.name'])
        .where('threads.id', '=', at('threadId'))
        .where('threads.user_id', '=', at('userId'))
        .where('threads.purpose', '=', 'chat')
        .where('project_budgets.user_id', '=', at('userId'))
        .where('project_budgets.hard_stop', '=', 1),
    ),
);

export function budgetRepository(db: Kysely<Database>) {
  return {
    /** The general budget comes first. */
    async list(userId: number): Promise<BudgetRecord[]> {
      const rows = await db
        .selectFrom('budgets')
        .leftJoin('assistants', 'assistants.id', 'budgets.assistant_id')
        .selectAll('budgets')
        .select('assistants.name as assistant_name')
        .where('budgets.user_id', '=', userId)
        .orderBy(sql`coalesce(budgets.assistant_id, 0)`)
        .execute();
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
    /** The limits that apply to a call. */
    hardStops: (userId: number, call: BudgetedCall): Promise<HardStop[]> => findHardStops.all(db, { ...call, userId }),
    async save(userId: number, budget: Omit<BudgetRecord, 'id' | 'assistantName'>): Promise<number> {
      const values = termColumns(budget);
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
