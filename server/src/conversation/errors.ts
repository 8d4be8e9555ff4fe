import { AppError } from '#server/lib/errors';

// Separate classes, so that the public API can word these errors differently.

export class ThreadNotFoundError extends AppError {
  override name = 'ThreadNotFoundError';
}
export class MessageNotFoundError extends AppError {
  override name = 'MessageNotFoundError';
}

/** A concurrent request has changed the thread's vector store. */
export class StoreChangedError extends AppError {
  override name = 'StoreChangedError';
  constructor() {
    super('conflict', 'The vector store of this thread has just changed. Send the request again.');
  }
}

/** Rejected because an answer is being generated in the thread, or a client must submit function outputs first. */
export class RunActiveError extends AppError {
  override name = 'RunActiveError';
  /** For an API run the first of its chain, which is the id that clients know. */
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
  functions: 'A function call in this conversation is waiting for a program’s output. Wait up to ten minutes.',
  approval:
    'An answer in this conversation is waiting for your approval. Approve or deny the call, or stop the answer.',
};
