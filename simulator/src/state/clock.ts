/** The simulator's own time, which tests may advance instead of waiting. */
export class Clock {
  #ahead = 0;

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now() + this.#ahead;
  }

  seconds(): number {
    return Math.floor(this.now() / 1_000);
  }

  advance(ms: number): void {
    this.#ahead += ms;
  }
}
