import { inspect } from 'node:util';

/** A value that must not reach a log, a response or an error message by accident. Read it with `reveal()`. */
export class Secret<T extends string | Buffer = string> {
  readonly #value: T;
  constructor(value: T) {
    this.#value = value;
  }
  reveal(): T {
    return this.#value;
  }
  /** This value and those that are sent together with it: all are masked where a provider repeats them. */
  parts(): readonly T[] {
    return [this.#value];
  }
  toString() {
    return '[secret]';
  }
  toJSON() {
    return '[secret]';
  }
  [inspect.custom]() {
    return '[secret]';
  }
}
