import type { AccountRemovalPart } from '#server/features/feature';
import { deleteConversations } from './account-removal-repository.ts';
import type { RunExecutor } from './runs/executor.ts';
import { runRepository } from './runs/repository.ts';

/** An answer is stopped within a second; one of a process that died is ended by the others within ten. */
const stoppedWithinMs = 30_000;

/** The chat's part of an account removal. */
export function chatRemovalPart(executor: Pick<RunExecutor, 'withoutRuns'>): AccountRemovalPart {
  return {
    atRest: (userId, work) => executor.withoutRuns(userId, stoppedWithinMs, work),
    async remove(trx, userId) {
      if ((await runRepository(trx).underWay(userId)).length > 0) return false;
      await deleteConversations(trx, userId);
      return true;
    },
  };
}
