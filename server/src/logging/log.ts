import { write, writeSync } from 'node:fs';
import { pino } from 'pino';
import type { Config } from '#server/config/config';
import { currentSpan } from '#server/tracing/context';
import { serializeFailure } from './failure.ts';

/** The fields on every line, and the fields that are always removed. */
export const logSettings = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  mixin() {
    const span = currentSpan();
    return span ? { traceId: span.traceId } : {};
  },
  serializers: { err: serializeFailure },
};

const standardOutput = 1;
/** Limit for lines that wait while the log is not read, in characters; later lines are dropped. */
const maxPendingCharacters = 8 * 1024 * 1024;
const retryAfterMs = 100;
const flushWithinMs = 1_000;

const isFull = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EAGAIN';

/**
 * Writes lines without waiting for their reader. Pino's own destination writes the rest at exit and retries forever
 * once its reader is gone, so the process would never end.
 */
function createOutput() {
  let lines: string[] = [];
  let waiting = 0;
  let dropped = 0;
  let busy = false;
  const onWritten: (() => void)[] = [];

  function writeNext() {
    if (dropped > 0 && waiting < maxPendingCharacters / 2) {
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
      // The log's reader is gone, and there is no other place to report it.
      if (error || written === bytes.length) return writeNext();
      writeAll(bytes.subarray(written));
    });
  }

  return {
    write(line: string) {
      if (waiting > maxPendingCharacters) {
        dropped++;
        return;
      }
      lines.push(line);
      waiting += line.length;
      if (!busy) writeNext();
    },
    /** Waits until everything is written, but not for a reader that does not read. */
    flush: () =>
      new Promise<void>((resolve) => {
        if (!busy) return resolve();
        setTimeout(resolve, flushWithinMs);
        onWritten.push(resolve);
      }),
    /** Writes the last lines of a process that ends at once. */
    flushNow() {
      try {
        if (lines.length > 0) writeSync(standardOutput, lines.join(''));
      } catch {
        // Nobody reads the log any more.
      }
      lines = [];
    },
  };
}

/**
 * JSON lines on standard output. If the reader goes away or stops reading, lines are dropped; neither work nor shutdown
 * waits.
 */
export function createLog(level: Config['logLevel']) {
  const destination = createOutput();
  process.once('exit', destination.flushNow);
  return {
    log: pino({ level, ...logSettings }, destination),
    flush: destination.flush,
  };
}
