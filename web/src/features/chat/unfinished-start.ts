import type { Thread } from '@roster/contracts/chat';

/** The thread was made, and its first message did not get through. */
export class UnfinishedStart extends Error {
  override name = 'UnfinishedStart';
  readonly thread: Thread;
  constructor(thread: Thread, cause: unknown) {
    super('The message could not be sent.', { cause });
    this.thread = thread;
  }
}
