import { addFile } from '../files/routes.ts';
import type { Account } from '../state/account.ts';
import type { World } from '../world.ts';
import { phaseOf, planOf } from './timeline.ts';
import { resultFile, trainedTokens, tunedName } from './views.ts';

/**
 * Delivers the model and the result file of jobs that have succeeded since the last request. Jobs move by the clock
 * alone, so this happens before each request instead of by timers.
 */
export async function deliverResults(world: World, account: Account): Promise<void> {
  const { jobStepMs } = world.settings;
  for (const job of account.jobs) {
    if (job.resultFile !== null || phaseOf(job, world.clock.now(), jobStepMs) !== 'succeeded') continue;
    // Marked before the first await: two concurrent requests must not deliver it twice.
    job.resultFile = '';
    const created = Math.floor((job.createdMs + job.restedMs + planOf(job, jobStepMs).doneAt) / 1_000);
    account.models.push({ id: tunedName(job), created, base: job.model });
    const details = { created_at: created, filename: 'step_metrics.csv', purpose: 'fine-tune-results' } as const;
    job.resultFile = (await addFile(world, account, details, resultFile(job, jobStepMs))).id;
    await world.ledger.trained(created * 1_000, job.model, trainedTokens(job));
    await world.accounts.save(account);
  }
}
