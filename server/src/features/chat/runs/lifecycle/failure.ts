import { type RunError, runFailures } from '@roster/contracts/errors';
import { AppError } from '#server/lib/errors';
import { ProviderError } from '#server/provider/transport/error';

export const interruption: RunError = {
  code: 'interrupted',
  message: 'The server stopped while this answer was being written. The text received so far is kept.',
};

/** The error that readers of an answer see. `successor`: of a retired model. */
export function failureOf(error: unknown, successor?: string | null): RunError {
  const runFailure = error instanceof AppError ? runFailures.find((name) => name === error.code) : undefined;
  if (error instanceof AppError && runFailure) return { code: runFailure, message: error.message };
  if (!(error instanceof ProviderError))
    return { code: 'internal', message: 'Something went wrong on the server. Please try again.' };
  const isOfAnotherCall =
    error.code === 'not_served' || error.code === 'store_gone' || error.code === 'training_not_available';
  const code = isOfAnotherCall ? 'bad_request' : error.code;
  const { retryAfterSeconds } = error;
  return {
    code,
    message: error.message,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(code === 'model_not_found' && successor && { successor }),
  };
}
