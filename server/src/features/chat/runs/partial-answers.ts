import type { Message } from '@roster/contracts/chat';
import type { MessageRepository } from '#server/features/chat/messages/repository';
import { type FoldedLog, foldedBatches } from './event-log.ts';
import type { EventRepository } from './event-repository.ts';
import type { RunExecutor } from './executor.ts';

type Dependencies = {
  executor: Pick<RunExecutor, 'logOf'>;
  events: Pick<EventRepository, 'after'>;
  messages: Pick<MessageRepository, 'find'>;
};

/** What answers have come to while they are being written, in this process or in another one. */
export function partialAnswers({ executor, events, messages }: Dependencies) {
  /** undefined: nothing has come yet, or it has ended. */
  async function logOf(runId: number): Promise<FoldedLog | undefined> {
    const live = executor.logOf(runId);
    if (live) return live;
    const batches = await events.after(runId, 0);
    return batches.length === 0 ? undefined : foldedBatches(batches);
  }

  async function soFar(userId: number, message: Message): Promise<Message> {
    const { run } = message;
    if (run?.state !== 'queued' && run?.state !== 'running') return message;
    const log = await logOf(run.id);
    // Ended since it was read: then it is in the message, and its events are gone.
    if (!log) return (await messages.find(userId, message.id)) ?? message;
    const { text, reasoning, notes, sources } = log;
    return { ...message, text, reasoning, notes: [...notes], sources: [...sources] };
  }

  return {
    logOf,
    /** The same messages, with the words that have arrived of those that are being written. */
    withWords: (userId: number, list: Message[]): Promise<Message[]> =>
      Promise.all(list.map((message) => soFar(userId, message))),
  };
}

export type PartialAnswers = ReturnType<typeof partialAnswers>;
