import { AppError } from '#server/lib/errors';

// Told apart by whoever words them anew for programs.

export class ThreadNotFoundError extends AppError {
  override name = 'ThreadNotFoundError';
}
export class MessageNotFoundError extends AppError {
  override name = 'MessageNotFoundError';
}

/** Another call has changed meanwhile which vector store a thread has. */
export class StoreChangedError extends AppError {
  override name = 'StoreChangedError';
  constructor() {
    super('conflict', 'The vector store of this thread has changed meanwhile. Send this again.');
  }
}

/** Refused, because an answer is being written in the conversation, or a program is to say what its functions have answered. */
export class RunActiveError extends AppError {
  override name = 'RunActiveError';
  /** Of a program's run the first of its chain, by which programs know it. */
  readonly runId: number;
  constructor({ runId, waitsFor }: { runId: number; waitsFor: 'functions' | 'approval' | null }) {
    super(
      'run_in_progress',
      waitsFor === null
        ? 'An answer is still being written in this conversation. Stop it or wait for it.'
        : waits[waitsFor],
    );
    this.runId = runId;
  }
}

const waits = {
  functions:
    'A program is to answer functions that were called in this conversation. Wait until it has, ten minutes at most.',
  approval: 'An answer in this conversation waits for your approval. Approve or deny what it asks, or stop it.',
};
