import { parseModelReference } from '@roster/contracts/models/model-reference';
import type { Provider } from '#server/provider/provider';
import type { Secret } from '#server/security/secret';
import { ConnectionKey } from './connection-key.ts';
import { routeResources } from './route-resources.ts';

/**
 * Sends each call to the provider that its key belongs to. Vector stores and the organization’s reports belong to the
 * installation’s own provider.
 */
export function routeByKey(installation: Provider): Provider {
  const providerOf = (apiKey: Secret | undefined): Provider =>
    apiKey instanceof ConnectionKey ? apiKey.provider : installation;

  /** The provider’s own id. @throws Error if the key belongs elsewhere: it must not meet another provider’s model */
  function modelFor(apiKey: Secret | undefined, reference: string): string {
    const { connectionId, model } = parseModelReference(reference);
    if (apiKey && connectionId !== (apiKey instanceof ConnectionKey ? apiKey.connection.id : null))
      throw new Error('A model was asked with the key of another connection');
    return model;
  }

  return {
    ...installation,
    ...routeResources({ providerOf, modelFor }),
    answer: (request, onPieces, signal) =>
      providerOf(request.apiKey).answer(
        { ...request, model: modelFor(request.apiKey, request.model) },
        onPieces,
        signal,
      ),
    relay: (call) => providerOf(call.apiKey).relay(call),
    responses: {
      areServed: (apiKey, model) => providerOf(apiKey).responses.areServed(apiKey, modelFor(apiKey, model)),
      areNotServed: (apiKey, model, refusal) =>
        providerOf(apiKey).responses.areNotServed(apiKey, modelFor(apiKey, model), refusal),
      haveAnswered: (apiKey, model) => providerOf(apiKey).responses.haveAnswered(apiKey, modelFor(apiKey, model)),
    },
    refusedFields: {
      has: (model, field, apiKey) => providerOf(apiKey).refusedFields.has(modelFor(apiKey, model), field, apiKey),
      learn: (model, field, apiKey) => providerOf(apiKey).refusedFields.learn(modelFor(apiKey, model), field, apiKey),
      works: (model, field, apiKey) => providerOf(apiKey).refusedFields.works(modelFor(apiKey, model), field, apiKey),
    },
    lacksTool: (model, tool, apiKey) => providerOf(apiKey).lacksTool(modelFor(apiKey, model), tool, apiKey),
    toolRefused: (model, tool, apiKey) => providerOf(apiKey).toolRefused(modelFor(apiKey, model), tool, apiKey),
    containers: { open: (apiKey, container) => providerOf(apiKey).containers.open(apiKey, container) },
    checkKey: (apiKey) => providerOf(apiKey).checkKey(apiKey),
    models: (apiKey, withinMs) => providerOf(apiKey).models(apiKey, withinMs),
  };
}
