import type { RunEvent } from '@roster/contracts/chat';
import type { EventStream } from '#server/http/event-stream';
import type { AnswerRequest } from '#server/provider/provider';
import { emptyLog, fold, frameOf } from './event-log.ts';

/** What a run asks the provider for. */
export type PreparedRequest = {
  request: AnswerRequest;
  /** What is said before the answer. */
  notes: string[];
  /** How many of the oldest messages are left out, because the model's context is too small. */
  leftOut: number;
  /** How many attachments of the messages in the request are left out. */
  filesLeftOut: number;
  /** Estimated tokens of the attachments. */
  fileTokens: number;
};

/** A run whose message is stored. */
export type RunOrder = {
  runId: number;
  userId: number;
  threadId: number;
  messageId: number;
  assistantId: number | null;
  /** What it is asked for; null in a conversation. */
  comparisonId: number | null;
  /** The chain that it belongs to; null: nobody's program has asked. */
  programRunId: number | null;
  /** Gathers the request, for which it may call the provider: the run is stored by then. */
  prepare: (signal: AbortSignal) => Promise<PreparedRequest>;
};

/** Why a run's call to the provider was broken off. */
export class Stopped extends Error {}
export class ShuttingDown extends Error {}

/** The runs that this process executes, by their ids. */
export type LiveRuns = Map<number, LiveRun>;

/** A run while this process executes it: its events, who watches them, and what is not stored yet. */
export class LiveRun {
  readonly order: RunOrder;
  /** undefined until it is known what the provider is asked for. */
  prepared: PreparedRequest | undefined;
  /** Whether the provider is at work on it. */
  isAsked = false;
  readonly log = emptyLog();
  readonly startedAt = performance.now();
  readonly controller = new AbortController();
  readonly done = Promise.withResolvers<void>();
  /** Event n is at n - 1, as it goes over the wire. */
  readonly frames: string[] = [];
  readonly #watchers = new Set<EventStream>();
  #saved = 0;
  /** Whether the database knows that it is running. */
  announced = false;
  /** Whether events of it may be in the database. */
  hasStored = false;

  constructor(order: RunOrder) {
    this.order = order;
  }

  /** Numbers the events, keeps them, and sends them to all watchers. */
  publish(events: RunEvent[]) {
    let frames = '';
    for (const event of events) {
      fold(this.log, event);
      const frame = frameOf(this.frames.length + 1, event);
      this.frames.push(frame);
      frames += frame;
    }
    for (const watcher of this.#watchers) watcher.write(frames);
  }

  /** Sends what comes after event `after`, then all that follows. */
  watch(stream: EventStream, after: number) {
    if (after < this.frames.length) stream.write(this.frames.slice(after).join(''));
    this.#watchers.add(stream);
    stream.onClose(() => this.#watchers.delete(stream));
  }

  /** The frames that the database does not have yet. */
  unsaved(): { first: number; last: number; frames: string } | undefined {
    if (this.#saved >= this.frames.length) return undefined;
    return { first: this.#saved + 1, last: this.frames.length, frames: this.frames.slice(this.#saved).join('') };
  }

  markSaved(last: number) {
    this.#saved = last;
  }

  /** Aborts the call to the provider, because a stop was asked for. */
  stop() {
    this.controller.abort(new Stopped());
  }

  /** The same, because this process ends. */
  interrupt() {
    this.controller.abort(new ShuttingDown());
  }

  endStreams() {
    for (const watcher of this.#watchers) watcher.end();
  }
}
