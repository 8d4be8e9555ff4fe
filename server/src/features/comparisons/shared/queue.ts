import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { defineJob } from '#server/jobs/define';
import { enqueueOnce } from '#server/jobs/queue';

const Asking = z.object({ userId: z.number(), comparisonId: z.number() });
export type Asking = z.output<typeof Asking>;

/** Asks the due prompts of a comparison that was started, as far as there is room for answers. */
export const askJob = defineJob({ name: 'comparisons.ask', payload: Asking });

export const queueAsking = (trx: Kysely<Database>, { userId, comparisonId }: Asking, inMs = 0) =>
  enqueueOnce(trx, askJob, { userId, comparisonId }, { inMs });

/** Removes leftover runs of deleted test sets. */
export const removeRunsJob = defineJob({ name: 'comparisons.remove-runs', payload: z.object({ userId: z.number() }) });

const JudgingWork = z.object({ userId: z.number(), judgingId: z.number() });
export type JudgingWork = z.output<typeof JudgingWork>;

/** Asks the judge about due prompts, likewise. */
export const judgeJob = defineJob({ name: 'comparisons.judge', payload: JudgingWork });

export const queueJudging = (trx: Kysely<Database>, { userId, judgingId }: JudgingWork, inMs = 0) =>
  enqueueOnce(trx, judgeJob, { userId, judgingId }, { inMs });
