import type { RunFailure } from '@roster/contracts/errors';
import { modelIdOf } from '@roster/contracts/models/model-reference';
import { AppError } from '#server/lib/errors';
import { ProviderError } from './transport/error.ts';

/** Another provider would refuse the request as well for any other reason, or a person has to decide. */
const failuresOfProvider: readonly RunFailure[] = [
  'key_rejected',
  'key_unreadable',
  'no_api_key',
  'insufficient_quota',
  'offered_budget_exceeded',
  'rate_limited',
  'model_not_found',
  'provider_unavailable',
  'provider_broke_off',
  'provider_unreachable',
  'provider_timeout',
];

/** True if the provider or the model is down, over its limit or gone, so that another model may answer. */
export const isOutage = (error: unknown): error is ProviderError | AppError =>
  (error instanceof ProviderError || error instanceof AppError) &&
  failuresOfProvider.some((code) => code === error.code);

export function fallbackNote(model: string | null, fallback: string, reason: string): string {
  const [first, second] = [model === null ? 'The model' : modelIdOf(model), modelIdOf(fallback)];
  const other = first === second ? ', the same model at another connection,' : ` ${second}`;
  return `${first} could not answer, so the assistant’s fallback${other} was asked. ${reason}`;
}
