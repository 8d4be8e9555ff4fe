import type { CheckLimits, FileFindings } from './check/file-check.ts';
import type { PairsFound, Trimming } from './convert/pairs.ts';
import type { Border, Side, SplitPlan } from './convert/split.ts';

/** Tasks that the thread can do with the lines of files, and their results. */
export type Tasks = {
  /** A training file, and a validation file if there is one. */
  validate: { order: { model: string | null; limits: CheckLimits }; result: FileFindings[] };
  /** Examines how the pairs of a file are written. */
  inspectPairs: { order: object; result: PairsFound };
  /** Converts pairs to conversations. */
  convert: { order: { trimming: Trimming }; result: { examples: number } };
  /** Finds where to divide a file. */
  plan: { order: { share: number }; result: SplitPlan };
  /** Returns the lines of one side. */
  split: { order: { border: Border; side: Side }; result: null };
};
export type Kind = keyof Tasks;

export type TaskOrder = { [K in Kind]: { kind: K } & Tasks[K]['order'] }[Kind];

/** `next`: the file has ended, and another one may follow. */
export type WorkerRequest =
  | { say: 'begin'; order: TaskOrder }
  | { say: 'chunk'; bytes: Uint8Array<ArrayBuffer> }
  | { say: 'next' }
  | { say: 'end' };

export type WorkerReply<Result> =
  /** The bytes were taken; `output` is what they became. `enough`: the rest of this file is not needed. */
  | { say: 'taken'; output: Uint8Array<ArrayBuffer> | undefined; enough: boolean }
  | { say: 'result'; result: Result }
  | { say: 'failed'; message: string };

/** A task in progress, in the thread. */
export type TaskRunner<K extends Kind = Kind> = {
  /** Returns true if the rest of this file is not needed. */
  take: (chunk: Buffer) => boolean;
  next: () => void;
  result: () => Tasks[K]['result'];
  /** Output since the last call. */
  made?: () => string;
};
