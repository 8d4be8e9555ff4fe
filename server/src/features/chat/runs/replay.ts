import type { RunEvent } from '@roster/contracts/chat';
import { endEvent, unfold } from './event-log.ts';
import type { RunRepository } from './repository.ts';

/** All events of a finished run after the event `after`; undefined while it is under way. */
export async function replay(
  runs: Pick<RunRepository, 'finished'>,
  { userId, runId, after }: { userId: number; runId: number; after: number },
): Promise<string | undefined> {
  const run = await runs.finished(userId, runId);
  if (!run) return undefined;
  const usage: RunEvent | null = run.usage && { type: 'usage', ...run.usage };
  return unfold(run.log, usage, { event: endEvent(run), number: run.lastEvent }, after);
}
