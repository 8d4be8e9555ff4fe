import { connectionIdOf, modelIdOf } from '@roster/contracts/models/model-reference';
import { PublicApiError } from '#server/http/public-api/errors';

/**
 * Vector stores belong to the installation's provider.
 * @throws invalid_input if a model of another connection is to search them
 */
export function refuseSearchElsewhere(model: string, param: string): void {
  if (connectionIdOf(model) !== null)
    throw new PublicApiError(
      'invalid_input',
      `Vector stores belong to this installation’s provider. ${modelIdOf(model)} is a model of another connection, so it cannot search them.`,
      { param },
    );
}
