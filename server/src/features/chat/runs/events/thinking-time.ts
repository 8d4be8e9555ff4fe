import type { RunEvent } from '@roster/contracts/chat';
import type { FoldedLog } from './event-log.ts';

/**
 * Measures thinking time: in each step from the first reasoning to the first text or call. Time spent in tools does not
 * count.
 */
export function thinkingTime(log: Pick<FoldedLog, 'thoughtMs'>) {
  let since: number | null = null;

  function end(): RunEvent[] {
    if (since === null) return [];
    const thoughtMs = (log.thoughtMs ?? 0) + Math.round(performance.now() - since);
    since = null;
    return [{ type: 'reasoning', text: '', thoughtMs }];
  }

  return {
    /** Inserts an event with the time where thinking ends. */
    measured(events: readonly RunEvent[]): RunEvent[] {
      return events.flatMap((event) => {
        if (event.type === 'reasoning') since ??= performance.now();
        const endsHere = event.type === 'text' || event.type === 'tool';
        return endsHere ? [...end(), event] : [event];
      });
    },
    /** Call when a request ends: the model may have stopped while thinking. */
    end,
  };
}

export type ThinkingTime = ReturnType<typeof thinkingTime>;
