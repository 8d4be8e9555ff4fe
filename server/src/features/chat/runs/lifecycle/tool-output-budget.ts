import { truncate } from '@roster/contracts/text/truncate';

/** Limit of one output in UTF-16 units, in case the tool's client has not cut it. */
const resultLimit = 1024 * 1024;
/** Limit of all outputs of one answer. */
const resultsLimit = 10 * resultLimit;

export const fullNote =
  'The tools of this answer returned more than 10 MB, the limit of one answer. The model got the beginning of it, and no more tools were called.';
const saidMore = '\n[Cut: the tool said more.]';
const allSaidMore =
  '\n[Cut: the tools of this answer have said more than 10 MB together. No more can be called in it.]';
export const notCalledFull =
  'The tools of this answer have returned 10 MB, the limit of one answer. The tool was not called.';

/** PostgreSQL text cannot contain NUL. */
export const storable = (text: string) => text.replaceAll('\0', '\uFFFD');

/** Counts the output of an answer's tools against the limit. */
export class ToolOutputBudget {
  #left: number;
  constructor(earlier: readonly { output: string | null }[] = []) {
    this.#left = resultsLimit - earlier.reduce((sum, { output }) => sum + (output?.length ?? 0), 0);
  }

  get isFull() {
    return this.#left <= 0;
  }

  /** Returns as much of an output as is stored and sent to the model. */
  take(text: string): string {
    const most = Math.min(resultLimit, Math.max(0, this.#left));
    this.#left -= text.length > most ? most : text.length;
    if (text.length <= most) return storable(text);
    if (text.length > resultLimit && !this.isFull) return storable(`${truncate(text, most)}${saidMore}`);
    this.#left = 0;
    return storable(`${truncate(text, most)}${allSaidMore}`);
  }
}
