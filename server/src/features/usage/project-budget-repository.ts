import { type Kysely, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import { type BudgetTerms, termColumns } from './budget-repository.ts';

export type ProjectBudgetRecord = BudgetTerms & { id: number; projectId: number; projectName: string };

export function projectBudgetRepository(db: Kysely<Database>) {
  return {
    /** By the names of the projects, at most one for each. */
    async list(userId: number): Promise<ProjectBudgetRecord[]> {
      const rows = await db
        .selectFrom('project_budgets')
        .innerJoin('projects', 'projects.id', 'project_budgets.project_id')
        .selectAll('project_budgets')
        .select('projects.name as project_name')
        .where('project_budgets.user_id', '=', userId)
        .orderBy(sql`lower(projects.name)`)
        .orderBy('projects.id')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        projectId: row.project_id,
        projectName: row.project_name,
        amountUsd: row.amount_usd,
        warnAt: row.warn_at,
        hardStop: row.hard_stop === 1,
        tz: row.tz,
      }));
    },
    /** undefined: the user has no such project. */
    async save(userId: number, projectId: number, terms: BudgetTerms): Promise<number | undefined> {
      const values = termColumns(terms);
      const saved = await db
        .insertInto('project_budgets')
        .columns(['user_id', 'project_id', 'amount_usd', 'warn_at', 'hard_stop', 'tz'])
        .expression((eb) =>
          eb
            .selectFrom('projects')
            .select(({ val, cast }) => [
              'projects.user_id',
              'projects.id',
              cast<number>(val(values.amount_usd), 'double precision').as('amount_usd'),
              cast<number>(val(values.warn_at), 'double precision').as('warn_at'),
              cast<0 | 1>(val(values.hard_stop), 'integer').as('hard_stop'),
              cast<string>(val(values.tz), 'text').as('tz'),
            ])
            .where('projects.user_id', '=', userId)
            .where('projects.id', '=', projectId),
        )
        .onConflict((conflict) => conflict.columns(['user_id', 'project_id']).doUpdateSet(values))
        .returning('id')
        .executeTakeFirst();
      return saved?.id;
    },
    async delete(userId: number, budgetId: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('project_budgets')
        .where('user_id', '=', userId)
        .where('id', '=', budgetId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

export type ProjectBudgetRepository = ReturnType<typeof projectBudgetRepository>;
