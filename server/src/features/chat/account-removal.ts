import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { OpenDatabase } from '../../db/connect.ts';
import type { AccountRemovalPart } from '../../feature.ts';
import type { RunExecutor } from './runs/executor.ts';
import { runRepository } from './runs/repository.ts';
import { searchRepository } from './search/repository.ts';
import { threadRepository } from './threads/repository.ts';

/** An answer is stopped within a second; one of a process that died is ended by the others within ten. */
const stoppedWithinMs = 30_000;
const threadsAtOnce = 20;

/** What the chat does when an account goes. */
export function chatRemovalPart(
  { engine }: Pick<OpenDatabase, 'engine'>,
  executor: Pick<RunExecutor, 'withoutRuns'>,
): AccountRemovalPart {
  return {
    atRest: (userId, work) => executor.withoutRuns(userId, stoppedWithinMs, work),
    async remove(trx, userId) {
      const runs = runRepository(trx);
      if ((await runs.underWay(userId)).length > 0) return false;
      const threads = threadRepository(trx, engine);
      if (engine === 'postgres') {
        // In the order in which the deletion of a thread takes them; the words in the search go with their rows.
        await runs.holdAll(userId);
        await threads.holdAll(userId);
        return true;
      }
      const search = searchRepository(trx, engine);
      for (;;) {
        const some = await threads.some(userId, threadsAtOnce);
        if (some.length === 0) return true;
        for (const { id } of some) {
          await search.forgetThread(userId, id);
          await threads.delete(userId, id);
        }
        // SQLite answers synchronously: between the steps, streams are served.
        await turnOfOthers();
      }
    },
  };
}
