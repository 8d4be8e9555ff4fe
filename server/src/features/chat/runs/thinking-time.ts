import type { RunEvent } from '@roster/contracts/chat';
import type { FoldedLog } from './event-log.ts';

/**
 * Measures how long a model thinks: from the first piece of its reasoning to the first piece of anything else that it writes or
 * calls, in each step. What the tools take in between is not thinking.
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
    /** The same events, with the time where thinking ends among them. */
    measured(events: readonly RunEvent[]): RunEvent[] {
      return events.flatMap((event) => {
        if (event.type === 'reasoning') since ??= performance.now();
        const endsHere = event.type === 'text' || event.type === 'tool';
        return endsHere ? [...end(), event] : [event];
      });
    },
    /** The model has stopped without a word after it. */
    end,
  };
}

export type ThinkingTime = ReturnType<typeof thinkingTime>;
