import type { CheckLimits, FileFindings } from './check/file-check.ts';
import type { PairsFound, Trimming } from './convert/pairs.ts';
import type { Border, Side, SplitPlan } from './convert/split.ts';

/** What the thread can be asked to do with the lines of files, and what comes of it. */
export type Tasks = {
  /** Of a training file and, where there are two, a validation file. */
  validate: { order: { model: string | null; limits: CheckLimits }; result: FileFindings[] };
  /** Looks at how the pairs of a file are written. */
  inspectPairs: { order: object; result: PairsFound };
  /** Makes conversations of pairs. */
  convert: { order: { trimming: Trimming }; result: { examples: number } };
  /** Finds where a file is to be divided. */
  plan: { order: { share: number }; result: SplitPlan };
  /** Gives out the lines of one side. */
  split: { order: { border: Border; side: Side }; result: null };
};
export type Kind = keyof Tasks;

export type TaskOrder = { [K in Kind]: { kind: K } & Tasks[K]['order'] }[Kind];

/** `next`: the file ended, and another one follows or nothing does. */
export type WorkerRequest =
  | { say: 'begin'; order: TaskOrder }
  | { say: 'chunk'; bytes: Uint8Array<ArrayBuffer> }
  | { say: 'next' }
  | { say: 'end' };

export type WorkerReply<Result> =
  /** The bytes were taken; `output` is what they were made into. `enough`: no more of this file is needed. */
  | { say: 'taken'; output: Uint8Array<ArrayBuffer> | undefined; enough: boolean }
  | { say: 'result'; result: Result }
  | { say: 'failed'; message: string };

/** One order at work, in the thread. */
export type TaskRunner<K extends Kind = Kind> = {
  /** Returns whether no more of this file is needed. */
  take: (chunk: Buffer) => boolean;
  next: () => void;
  result: () => Tasks[K]['result'];
  /** What was made since the last time. */
  made?: () => string;
};
