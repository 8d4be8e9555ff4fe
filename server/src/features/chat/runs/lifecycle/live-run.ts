import type { RunEvent } from '@roster/contracts/chat';
import { type Joint, jointTo } from '#server/features/chat/runs/events/continuation';
import { emptyLog, type FoldedLog, fold, frameOf, parseFrames } from '#server/features/chat/runs/events/event-log';
import type { EventBatch } from '#server/features/chat/runs/events/event-repository';
import { type ThinkingTime, thinkingTime } from '#server/features/chat/runs/events/thinking-time';
import type { EventStream } from '#server/http/streaming/event-stream';
import type { CallEcho, ConversationTurn, ToolUse } from '#server/provider/provider';
import type { PreparedRequest, RunSpec } from './run-spec.ts';
import { ToolOutputBudget } from './tool-output-budget.ts';

/** Reasons for aborting a run's request. */
export class RunStoppedError extends Error {}
export class ShutdownError extends Error {}
/** The database stayed unavailable until shutdown; another instance will recover the run. */
export class RunHandedOffError extends Error {}

/** Runs that this process executes, by id. */
export type LiveRuns = Map<number, LiveRun>;

/** The stored state of a run that is resumed or continued. */
export type ResumeState = {
  batches: readonly EventBatch[];
  step: number;
  /** The first step of the continuation; 1: not a continuation. */
  firstStep: number;
  /** true: a continuation, which starts with a request; false: resumed with the calls of its step. */
  isContinued: boolean;
  outputBudget: ToolOutputBudget;
};

/** Lengths of the log when a step started. */
type Since = { text: number; reasoning: number; marks: number; calls: number };

/** A run that this process executes: its events, their readers, and what is not stored yet. */
export class LiveRun {
  readonly spec: RunSpec;
  /** undefined until the request is built. */
  prepared: PreparedRequest | undefined;
  /** True if the provider is processing a request. */
  isAwaitingProvider = false;
  /** One step per request to the provider. */
  step = 1;
  /** Resumed in the middle of a step, with its tool calls. */
  readonly isResumed: boolean;
  /** Above 1 for a continuation. */
  readonly firstStep: number;
  /** Set for a continuation. */
  readonly joint: Joint | null;
  /** Lengths of the log when this process took the run. */
  readonly #base: Pick<Since, 'text' | 'calls'>;
  readonly thinking: ThinkingTime;
  /** Calls of earlier steps with their outputs. */
  turns: ConversationTurn[] = [];
  /** Usage is recorded up to here. */
  since: Since = { text: 0, reasoning: 0, marks: 0, calls: 0 };
  /** The service tier of this step; null: standard or unknown. */
  tier: string | null = null;
  /** Built-in tools used in this step. */
  used: ToolUse[] = [];
  /** Tools whose schema the provider has rejected; later steps omit them. */
  readonly refusedFunctions = new Set<string>();
  /** While tools are called, everything published is stored, so another instance can resume. */
  isCallingTools = false;
  /** Opaque data that the provider expects back, by call id. */
  readonly echoes = new Map<string, CallEcho>();
  /** Ids of connected tools' calls that are running. */
  readonly activeCalls = new Set<string>();
  readonly outputBudget: ToolOutputBudget;
  readonly log = emptyLog();
  readonly startedAt = performance.now();
  readonly controller = new AbortController();
  /** Aborted at shutdown: what cannot be stored by then is left to other instances. */
  readonly released = new AbortController();
  readonly done = Promise.withResolvers<void>();
  /** Resolved if the end cannot be stored yet because the database is unavailable or full. */
  readonly delayed = Promise.withResolvers<void>();
  /** Event n is at index n - 1. */
  readonly frames: string[] = [];
  /** Pending saves of generated files; each resolves to an error note or null. */
  readonly fileTasks: Promise<string | null>[] = [];
  readonly #watchers = new Set<EventStream>();
  #saved = 0;
  /** True if the state `running` is stored. */
  announced = false;
  /** True if events may be stored. */
  hasStored = false;

  #storing: Promise<void> = Promise.resolve();

  constructor(spec: RunSpec, resumed?: ResumeState) {
    this.spec = spec;
    this.isResumed = resumed !== undefined && !resumed.isContinued;
    this.firstStep = resumed?.firstStep ?? 1;
    this.outputBudget = resumed?.outputBudget ?? new ToolOutputBudget();
    this.thinking = thinkingTime(this.log);
    this.#base = { text: 0, calls: 0 };
    if (!resumed) {
      this.joint = null;
      return;
    }
    this.step = resumed.step;
    for (const { frames } of resumed.batches)
      for (const { number, event } of parseFrames(frames)) {
        fold(this.log, event);
        this.frames.push(frameOf(number, event));
      }
    this.#saved = this.frames.length;
    // A continued run is stored as queued until its first new event.
    this.announced = !resumed.isContinued;
    this.hasStored = true;
    this.#base = { text: this.log.text.length, calls: this.log.calls.length };
    this.joint = resumed.isContinued ? jointTo(this.log.text) : null;
    this.beginStep();
  }

  /** Starts counting the usage of a step. */
  beginStep() {
    const { text, reasoning, marks, calls } = this.log;
    this.since = { text: text.length, reasoning: reasoning.length, marks: marks.length, calls: calls.length };
    this.isAwaitingProvider = false;
    this.tier = null;
    this.used = [];
  }

  /** True if this process has added text or calls. */
  hasAdded = () => this.log.text.length > this.#base.text || this.log.calls.length > this.#base.calls;

  /** The part of the log that belongs to this step. */
  ofStep(): Pick<FoldedLog, 'text' | 'reasoning' | 'marks' | 'calls'> {
    const { log, since } = this;
    return {
      text: log.text.slice(since.text),
      reasoning: log.reasoning.slice(since.reasoning),
      marks: log.marks.slice(since.marks),
      calls: log.calls.slice(since.calls),
    };
  }

  /** Runs one task after the other, so that events stored before publishing keep their numbers. */
  async serialize(work: () => Promise<void>): Promise<void> {
    const done = this.#storing.then(work);
    this.#storing = done.catch(() => undefined);
    return done;
  }

  /** Numbers the events and sends them to all watchers. */
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

  /** Sends the events after `after`, then all new ones. */
  watch(stream: EventStream, after: number) {
    if (after < this.frames.length) stream.write(this.frames.slice(after).join(''));
    this.#watchers.add(stream);
    stream.onClose(() => this.#watchers.delete(stream));
  }

  /** The frames that are not stored yet. */
  unsaved(): { first: number; last: number; frames: string } | undefined {
    if (this.#saved >= this.frames.length) return undefined;
    return { first: this.#saved + 1, last: this.frames.length, frames: this.frames.slice(this.#saved).join('') };
  }

  markSaved(last: number) {
    this.#saved = last;
  }

  /** Aborts the request because a stop was requested. */
  stop() {
    this.controller.abort(new RunStoppedError());
  }

  /** Aborts the request because this process is shutting down. */
  interrupt() {
    this.controller.abort(new ShutdownError());
    this.released.abort(new RunHandedOffError());
  }

  /** Removes and returns the watchers, which follow the run through the database from now on. */
  handOver(): EventStream[] {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    return watchers;
  }

  endStreams() {
    for (const watcher of this.#watchers) watcher.end();
  }
}
