type Course = {
  count: number;
  delayMs: number;
  signal: AbortSignal;
  /** Sends token `index`; false ends the answer. */
  send: (index: number) => boolean;
  /** Set while the client reads too slowly. */
  pressed: () => Promise<void> | null;
};

/**
 * Calls `send` for each token at its own moment. Moments are counted from the start, so a late timer shortens the next
 * wait instead of shifting all that follow; overdue tokens go out together.
 */
export function pace({ count, delayMs, signal, send, pressed }: Course): Promise<void> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    let index = 0;
    let timer: NodeJS.Timeout | undefined;

    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };

    const step = () => {
      const now = performance.now();
      while (index < count && start + index * delayMs <= now) {
        const relief = pressed();
        if (relief !== null) {
          relief.then(step, reject);
          return;
        }
        if (signal.aborted || !send(index)) return finish();
        index += 1;
      }
      if (index >= count || signal.aborted) return finish();
      // Rounded up: a timer that fires early would only have to be set again.
      timer = setTimeout(step, Math.max(0, Math.ceil(start + index * delayMs - performance.now())));
    };

    signal.addEventListener('abort', finish);
    step();
  });
}

/** Waits, or returns at once when the client has left. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish);
  });
}
