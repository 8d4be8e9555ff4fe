import type { RunEvent } from '@roster/contracts/chat';
import type { OfferedTool } from '#server/conversation/tools';
import type { EventStream } from '#server/http/streaming/event-stream';
import type { AnswerRequest, CallEcho, ConversationTurn, ToolUse } from '#server/provider/provider';
import { type Joint, jointTo } from './continuation.ts';
import { emptyLog, type FoldedLog, fold, frameOf, parseFrames } from './event-log.ts';
import type { EventBatch } from './event-repository.ts';
import { type ThinkingTime, thinkingTime } from './thinking-time.ts';
import { ResultRoom } from './tool-results.ts';
import type { RunPlace } from './unfinished-repository.ts';

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
  /** The answer so far and what asks for the rest, where it is continued. */
  soFar?: ConversationTurn[];
  /** The same request once the provider has said that it does not have a file for code: it is forwarded again. */
  filesAgain?: () => Promise<AnswerRequest>;
  /** Where it may call tools of tool servers, which Roster does. */
  loop?: ToolLoop;
};

export type ToolLoop = {
  offered: readonly OfferedTool[];
  /** Whether there is a person who can be asked. */
  canAsk: boolean;
  /** How the answer was asked for, as JSON: it may go on after days, and on another process. */
  settings: string;
  /** Asked before each step. @throws AppError */
  checkBudget: () => Promise<void>;
};

/** A run whose message is stored. */
export type RunOrder = RunPlace & {
  runId: number;
  /** Gathers the request, for which it may call the provider: the run is stored by then. */
  prepare: (signal: AbortSignal) => Promise<PreparedRequest>;
};

/** Why a run's call to the provider was broken off. */
export class Stopped extends Error {}
export class ShuttingDown extends Error {}
/** The database was away until this process ended; who finds the run ends it, or goes on with it. */
export class LeftToOthers extends Error {}

/** The runs that this process executes, by their ids. */
export type LiveRuns = Map<number, LiveRun>;

/** A run that was let go between two steps, or that had ended, as far as it had come. */
export type GoingOn = {
  batches: readonly EventBatch[];
  step: number;
  /** The step with which it began to continue an answer; 1: it does not. */
  firstStep: number;
  /** It begins with a request of its own, where others go on with the calls of their step. */
  isContinued: boolean;
  results: ResultRoom;
};

/** How much of the log there was when a step began. */
type Since = { text: number; reasoning: number; marks: number; calls: number };

/** A run while this process executes it: its events, who watches them, and what is not stored yet. */
export class LiveRun {
  readonly order: RunOrder;
  /** undefined until it is known what the provider is asked for. */
  prepared: PreparedRequest | undefined;
  /** Whether the provider is at work on it. */
  isAsked = false;
  /** Each request to the provider is one. */
  step = 1;
  /** It was let go in its step, and goes on with the calls of that. */
  readonly isGoingOn: boolean;
  /** Above 1: it continues an answer that had ended. */
  readonly firstStep: number;
  /** Where it continues an answer. */
  readonly joint: Joint | null;
  /** What it began with. */
  readonly #base: Pick<Since, 'text' | 'calls'>;
  readonly thinking: ThinkingTime;
  /** What the steps before have called, with what came of it. */
  turns: ConversationTurn[] = [];
  /** Since when nothing has been recorded as used. */
  since: Since = { text: 0, reasoning: 0, marks: 0, calls: 0 };
  /** The service tier that answered this step; null: the standard one, or it is not known. */
  tier: string | null = null;
  /** The tools that the provider has run in this step. */
  used: ToolUse[] = [];
  /** Tools whose schema the provider has refused: the steps that follow are asked for without them. */
  readonly refusedFunctions = new Set<string>();
  /** Whether it is the turn of the tools: all that was told is stored then, so that another process can go on. */
  isCallingTools = false;
  /** What the provider wants back with its model's calls, by their ids. */
  readonly echoes = new Map<string, CallEcho>();
  /** The tools of tool servers that are being called, by the ids of the calls. */
  readonly made = new Set<string>();
  /** What they may still say. */
  readonly results: ResultRoom;
  readonly log = emptyLog();
  readonly startedAt = performance.now();
  readonly controller = new AbortController();
  /** Aborted when this process ends: what cannot be stored by then is left to the others. */
  readonly letGo = new AbortController();
  readonly done = Promise.withResolvers<void>();
  /** Its end cannot be stored yet: the database is away or full. */
  readonly heldUp = Promise.withResolvers<void>();
  /** Event n is at n - 1, as it goes over the wire. */
  readonly frames: string[] = [];
  /** What its answer has made, while it is taken in: words for the answer, where that failed. */
  readonly taking: Promise<string | null>[] = [];
  readonly #watchers = new Set<EventStream>();
  #saved = 0;
  /** Whether the database knows that it is running. */
  announced = false;
  /** Whether events of it may be in the database. */
  hasStored = false;

  #storing: Promise<void> = Promise.resolve();

  constructor(order: RunOrder, goingOn?: GoingOn) {
    this.order = order;
    this.isGoingOn = goingOn !== undefined && !goingOn.isContinued;
    this.firstStep = goingOn?.firstStep ?? 1;
    this.results = goingOn?.results ?? new ResultRoom();
    this.thinking = thinkingTime(this.log);
    this.#base = { text: 0, calls: 0 };
    if (!goingOn) {
      this.joint = null;
      return;
    }
    this.step = goingOn.step;
    for (const { frames } of goingOn.batches)
      for (const { number, event } of parseFrames(frames)) {
        fold(this.log, event);
        this.frames.push(frameOf(number, event));
      }
    this.#saved = this.frames.length;
    // One that is continued is told to be queued until its first new event is stored.
    this.announced = !goingOn.isContinued;
    this.hasStored = true;
    this.#base = { text: this.log.text.length, calls: this.log.calls.length };
    this.joint = goingOn.isContinued ? jointTo(this.log.text) : null;
    this.beginStep();
  }

  /** What comes from now on is not recorded yet. */
  beginStep() {
    const { text, reasoning, marks, calls } = this.log;
    this.since = { text: text.length, reasoning: reasoning.length, marks: marks.length, calls: calls.length };
    this.isAsked = false;
    this.tier = null;
    this.used = [];
  }

  /** True once anything has arrived in this process. */
  hasAdded = () => this.log.text.length > this.#base.text || this.log.calls.length > this.#base.calls;

  /** What has come in this step. */
  ofStep(): Pick<FoldedLog, 'text' | 'reasoning' | 'marks' | 'calls'> {
    const { log, since } = this;
    return {
      text: log.text.slice(since.text),
      reasoning: log.reasoning.slice(since.reasoning),
      marks: log.marks.slice(since.marks),
      calls: log.calls.slice(since.calls),
    };
  }

  /** One after the other: what is stored before it is told has its number by then. */
  async inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#storing.then(work);
    this.#storing = done.catch(() => undefined);
    return done;
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
    this.letGo.abort(new LeftToOthers());
  }

  /** Its watchers, who follow it elsewhere from now on. */
  handOver(): EventStream[] {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    return watchers;
  }

  endStreams() {
    for (const watcher of this.#watchers) watcher.end();
  }
}
