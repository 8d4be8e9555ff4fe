import { Id } from '../endpoint.ts';
import { connectionIdOf, modelReference } from './model-reference.ts';

/**
 * For clients that keep a connection apart from its model: `connectionId` beside `model`, which is then the provider's
 * own id. null: the installation's own provider.
 */
export const ConnectionOfModel = Id.nullable().optional();

type ModelChoice = { model?: string | null | undefined; connectionId?: number | null | undefined };

/** Only a model that names no connection itself can have one beside it. */
export const hasPlainModel = ({ model, connectionId }: ModelChoice): boolean =>
  connectionId === undefined || (typeof model === 'string' && connectionIdOf(model) === null);
export const plainModelMissing = {
  message: 'Send the model of this connection too, as its provider names it',
  path: ['connectionId'],
};

/** The same body with one reference in place of both fields. */
export function withReference<Body extends ModelChoice>({ connectionId, ...body }: Body): Omit<Body, 'connectionId'> {
  if (connectionId === undefined || typeof body.model !== 'string') return body;
  return { ...body, model: modelReference({ connectionId, model: body.model }) };
}
