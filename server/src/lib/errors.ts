import type { ErrorCode } from '@roster/contracts/errors';

type Details = ErrorOptions & {
  /** Wrong fields by name, each with its message. */
  fields?: Record<string, string>;
  /** Sent as `Retry-After`. */
  retryAfterSeconds?: number;
};

/** The server cannot start as things are; the message tells the operator what to change. */
export class StartupError extends Error {
  override name = 'StartupError';
}

/** An expected failure. Anything else that is thrown is a bug and reads "internal" to the caller. */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly fields: Record<string, string> | undefined;
  readonly retryAfterSeconds: number | undefined;
  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, details);
    this.code = code;
    this.fields = details.fields;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** The answer to what a stop of the server keeps from being done. */
export const restarting = (cause?: unknown) =>
  new AppError('unavailable', 'Roster is restarting. Please try again in a moment.', { cause, retryAfterSeconds: 3 });

/** A disk, or what one may keep on it, is full. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/** What a failure of the system says of itself, for an operator. The attempts at several addresses say it in their code. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/** A part without which nothing goes: it is away, and may come back. No caller can mend that, so none takes it for an AppError. */
export class UnavailableError extends Error {
  override name = 'UnavailableError';
  readonly part: 'database' | 'storage';
  constructor(part: UnavailableError['part'], cause: unknown) {
    super(reasonOf(cause), { cause });
    this.part = part;
  }
}

/** The database's disk is full. What is written for a person is refused; what cannot be asked for again waits for room. */
export class DatabaseFullError extends UnavailableError {
  override name = 'DatabaseFullError';
  constructor(cause: unknown) {
    super('database', cause);
  }
}
