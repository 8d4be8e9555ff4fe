import type { Fault } from '../faults/fault.ts';
import type { JournalEntry } from '../http/journal.ts';
import type { EventStream } from './event-stream.ts';
import { pace } from './pacing.ts';

/** How the sending of an answer ended; `left` means the client left, all others but `said` are faults. */
export type AnswerOutcome = 'said' | 'left' | 'drop' | 'hang' | 'error' | 'failed';

type Telling = {
  stream: EventStream;
  entry: JournalEntry;
  count: number;
  delayMs: number;
  fault: Fault;
  send: (index: number) => void;
  malformed: () => void;
  unknown: () => void;
};

type Interruption = 'drop' | 'hang' | 'error' | 'failed' | 'malformed';

/** Faults beyond the answer's end happen at its end. */
function interruptionsOf(fault: Fault, count: number): Map<number, Interruption> {
  const planned = new Map<number, Interruption>();
  const plan = (after: number | undefined, kind: Interruption) => {
    if (after !== undefined) planned.set(Math.min(after, count), kind);
  };
  plan(fault.malformedAfter, 'malformed');
  plan(fault.failedAfter, 'failed');
  plan(fault.errorAfter, 'error');
  plan(fault.hangAfter, 'hang');
  plan(fault.dropAfter, 'drop');
  return planned;
}

const UNKNOWN_EVERY = 4;

/** Sends an answer token by token, with the faults on its way. */
export async function sendAnswer(telling: Telling): Promise<AnswerOutcome> {
  const { stream, entry, count, delayMs, fault, send, malformed, unknown } = telling;
  const interruptions = interruptionsOf(fault, count);
  let ended: AnswerOutcome = 'said';
  const passes = (index: number): boolean => {
    const kind = interruptions.get(index);
    if (kind === undefined) return true;
    if (kind === 'malformed') {
      malformed();
      return true;
    }
    ended = kind;
    return false;
  };
  await pace({
    count,
    delayMs,
    signal: stream.signal,
    pressed: stream.pressed,
    send(index) {
      if (!passes(index)) return false;
      if (fault.unknownEvents === true && index % UNKNOWN_EVERY === 0) unknown();
      send(index);
      entry.tokens += 1;
      return true;
    },
  });
  if (stream.signal.aborted) return 'left';
  if (entry.tokens >= count) passes(count);
  return ended;
}

/** Milliseconds since 1970 with fraction, to measure how long a token was on its way. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}
