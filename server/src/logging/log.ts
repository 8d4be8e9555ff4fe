import { write, writeSync } from 'node:fs';
import { pino } from 'pino';
import type { Config } from '#server/config/config';
import { currentSpan } from '#server/tracing/context';
import { loggedFailure } from './failure.ts';

/** What every line has, and what none may have. */
export const logSettings = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  mixin() {
    const span = currentSpan();
    return span ? { traceId: span.traceId } : {};
  },
  serializers: { err: loggedFailure },
};

const standardOutput = 1;
/** What waits while the log is not read, in characters; lines that come after it are dropped. */
const waitingLimit = 8 * 1024 * 1024;
const retryAfterMs = 100;
const flushWithinMs = 1_000;

const isFull = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EAGAIN';

/**
 * Writes lines without waiting for their reader. Pino's own destination writes what is left when the process exits, and
 * tries again for ever once its reader has gone, so that the process never ends.
 */
function output() {
  let lines: string[] = [];
  let waiting = 0;
  let dropped = 0;
  let busy = false;
  const onWritten: (() => void)[] = [];

  function writeNext() {
    if (dropped > 0 && waiting < waitingLimit / 2) {
      lines.push(
        `${JSON.stringify({ level: 40, time: new Date().toISOString(), msg: 'log lines dropped', dropped })}\n`,
      );
      dropped = 0;
    }
    const bytes = Buffer.from(lines.join(''));
    lines = [];
    waiting = bytes.length;
    busy = bytes.length > 0;
    if (busy) return writeAll(bytes);
    for (const done of onWritten.splice(0)) done();
  }

  function writeAll(bytes: Buffer) {
    write(standardOutput, bytes, (error, written) => {
      if (isFull(error)) return void setTimeout(() => writeAll(bytes), retryAfterMs).unref();
      // The reader of the log has gone: there is no place to say so.
      if (error || written === bytes.length) return writeNext();
      writeAll(bytes.subarray(written));
    });
  }

  return {
    write(line: string) {
      if (waiting > waitingLimit) {
        dropped++;
        return;
      }
      lines.push(line);
      waiting += line.length;
      if (!busy) writeNext();
    },
    /** Waits until all is written, but not for a reader that does not read. */
    flush: () =>
      new Promise<void>((resolve) => {
        if (!busy) return resolve();
        setTimeout(resolve, flushWithinMs);
        onWritten.push(resolve);
      }),
    /** The last words of a process that ends at once. */
    flushNow() {
      try {
        if (lines.length > 0) writeSync(standardOutput, lines.join(''));
      } catch {
        // They go nowhere.
      }
      lines = [];
    },
  };
}

/**
 * JSON lines on standard output. Their reader may go away or stop reading: then lines are dropped, and neither the work
 * nor the end of the process waits.
 */
export function createLog(level: Config['logLevel']) {
  const destination = output();
  process.once('exit', destination.flushNow);
  return {
    log: pino({ level, ...logSettings }, destination),
    flush: destination.flush,
  };
}
