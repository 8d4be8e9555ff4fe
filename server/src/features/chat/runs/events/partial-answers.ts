import type { DisplayedToolCall, Message, RunState } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { messageRepository } from '#server/features/chat/shared/message-repository';
import { toShownCall } from '#server/features/chat/shared/tool-call-repository';
import { type FoldedLog, foldBatches, hasStarted, withoutHole } from './event-log.ts';
import { eventRepository } from './event-repository.ts';

/** The fields of a message that its run writes. */
type AnswerPart = Pick<
  Message,
  'id' | 'text' | 'reasoning' | 'notes' | 'sources' | 'state' | 'run' | 'model' | 'usage' | 'error' | 'finishedAt'
> &
  Pick<Message, 'links' | 'thoughtMs' | 'endedEarly'> & { calls?: Omit<DisplayedToolCall, 'callId'>[] | undefined };

function answerPartOf(message: AnswerPart): AnswerPart {
  const { id, text, reasoning, notes, sources, links, calls, state, run, model, usage, error, finishedAt } = message;
  const { endedEarly, thoughtMs } = message;
  const part = { id, text, reasoning, notes, sources, state, run, model, usage, error, finishedAt, endedEarly };
  return { ...part, ...(links && { links }), ...(calls && { calls }), ...(thoughtMs !== undefined && { thoughtMs }) };
}

/** The stored state is `queued` until the first events are stored; a run with events is running. */
function written(runId: number, was: RunState, log: FoldedLog) {
  const { text, reasoning, notes, sources, links, calls } = log;
  const called = calls.length > 0 && { calls: calls.map(toShownCall) };
  const cited = links.length > 0 && { links: [...links] };
  const thought = log.thoughtMs !== null && { thoughtMs: log.thoughtMs };
  const words = { text, reasoning, notes: [...notes], sources: [...sources], ...cited, ...called, ...thought };
  if (!hasStarted(log)) return words;
  const state = was === 'waiting' ? was : ('running' as const);
  return { ...words, state, run: { id: runId, state } };
}

/** The text so far of active answers, on this instance or another. */
export function partialAnswers(db: Kysely<Database>, executor: { logOf: (runId: number) => FoldedLog | undefined }) {
  const [events, messages] = [eventRepository(db), messageRepository(db)];
  /** undefined: no events yet, or the run has ended. */
  async function logOf(runId: number): Promise<FoldedLog | undefined> {
    const live = executor.logOf(runId);
    if (live) return live;
    const batches = withoutHole(await events.after(runId, 0), 0);
    return batches.length === 0 ? undefined : foldBatches(batches);
  }

  async function soFar<M extends AnswerPart>(userId: number, message: M): Promise<M> {
    const { run } = message;
    if (run?.state !== 'queued' && run?.state !== 'running' && run?.state !== 'waiting') return message;
    const log = await logOf(run.id);
    if (log) return { ...message, ...written(run.id, executor.logOf(run.id) ? 'running' : run.state, log) };
    // Ended since it was read: the text is in the message now and the events are deleted.
    const ended = await messages.find(userId, message.id);
    return ended ? { ...message, ...answerPartOf(ended) } : message;
  }

  return {
    logOf,
    /** Adds the text so far to messages that are being written. */
    withWords: <M extends AnswerPart>(userId: number, list: M[]): Promise<M[]> =>
      Promise.all(list.map((message) => soFar(userId, message))),
  };
}

export type PartialAnswers = ReturnType<typeof partialAnswers>;
