import type { ErrorCode } from '@roster/contracts/errors';

type Details = ErrorOptions & {
  /** Messages for invalid fields, by field name. */
  fields?: Record<string, string>;
  /** How the user can prove their identity. */
  ways?: readonly string[];
  /** Sent as `Retry-After`. */
  retryAfterSeconds?: number;
};

/** The server cannot start; the message tells the operator what to change. */
export class StartupError extends Error {
  override name = 'StartupError';
}

/** An expected failure. Any other error is a bug and is reported to the client as "internal". */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly fields: Record<string, string> | undefined;
  readonly ways: readonly string[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, details);
    this.code = code;
    this.fields = details.fields;
    this.ways = details.ways;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** The error for requests that a shutdown interrupts. */
export const restartingError = (cause?: unknown) =>
  new AppError('unavailable', 'Roster is restarting. Please try again in a moment.', { cause, retryAfterSeconds: 3 });

/** The disk or the quota is full. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/** The system's reason for a failure, for operators. If several addresses were tried, only the error code has it. */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/** The database or file store is unavailable and may recover. Callers cannot fix that, so it is not an AppError. */
export class UnavailableError extends Error {
  override name = 'UnavailableError';
  readonly part: 'database' | 'storage';
  constructor(part: UnavailableError['part'], cause: unknown) {
    super(failureReason(cause), { cause });
    this.part = part;
  }
}

/** The database's disk is full. User requests are rejected; writes that nobody can repeat wait for space. */
export class DatabaseFullError extends UnavailableError {
  override name = 'DatabaseFullError';
  constructor(cause: unknown) {
    super('database', cause);
  }
}
