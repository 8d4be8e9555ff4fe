import { connectionIdOf, modelReference } from '@roster/contracts/models/model-reference';
import type { ApiAssistants } from '#server/features/assistants/api-assistants';
import { PublicApiError } from '#server/http/public-api/errors';
import { AppError } from '#server/lib/errors';
import type { ConnectionRepository } from '#server/provider/connections/connection-repository';
import { ProviderError } from '#server/provider/transport/error';
import type { AssistantModels } from './assistant-models.ts';

type Dependencies = {
  connections: Pick<ConnectionRepository, 'findUsableByName'>;
  assistantModels: Pick<AssistantModels, 'isNamed' | 'find'>;
  assistants: Pick<ApiAssistants, 'find'>;
};

/**
 * The models that clients name. A plain id is the installation's provider's, `name/model` that of the connection with
 * exactly this name, of which the user's own comes before an offered one; many providers' own ids contain a slash, so an unknown name is part of the id.
 */
export function modelNames({ connections, assistantModels, assistants }: Dependencies) {
  async function assistantOf(userId: number, name: string) {
    const named = await assistantModels.find(userId, name);
    return named && (await assistants.find(userId, named.assistantId))?.assistant;
  }

  async function resolve(userId: number, named: string): Promise<string> {
    const name = connectionNameIn(named);
    const connectionId = name && (await connections.findUsableByName(userId, name));
    return name && connectionId ? modelReference({ connectionId, model: named.slice(name.length + 1) }) : named;
  }

  return {
    resolve,
    /**
     * Says of a failure that the name before a slash is that of no connection. The name may as well be part of a
     * model's id, so the failure's own words stay.
     */
    async explained(userId: number, named: string, error: unknown): Promise<unknown> {
      const name = connectionNameIn(named);
      if (!name || !isOfMissingModel(error) || (await resolve(userId, named)) !== named) return error;
      const message = `${error.message} None of your connections is called ‘${name.slice(0, 100)}’.`;
      const details = { status: 404, param: 'model', code: 'model_not_found', cause: error };
      return new PublicApiError(error instanceof ProviderError ? 'provider_failed' : 'no_api_key', message, details);
    },
    /** The model whose key is needed: an assistant is answered by its own. null: there is no such assistant. */
    async answering(userId: number, resolved: string): Promise<string | null> {
      if (!assistantModels.isNamed(resolved)) return resolved;
      return (await assistantOf(userId, resolved))?.model ?? null;
    },
    /** The other model of the named assistant; null: none. */
    async fallbackOf(userId: number, named: string): Promise<string | null> {
      const assistant = assistantModels.isNamed(named) ? await assistantOf(userId, named) : undefined;
      return assistant && assistant.fallbackModel !== assistant.model ? assistant.fallbackModel : null;
    },
  };
}

/** The name before the slash; undefined without one. */
function connectionNameIn(named: string): string | undefined {
  const slash = named.indexOf('/');
  const isNamed = slash > 0 && slash < named.length - 1 && connectionIdOf(named) === null;
  return isNamed ? named.slice(0, slash) : undefined;
}

const isOfMissingModel = (error: unknown): error is Error =>
  error instanceof ProviderError
    ? error.code === 'model_not_found'
    : error instanceof AppError && error.code === 'no_api_key';

export type ModelNames = ReturnType<typeof modelNames>;

/** As clients name it. */
export const apiModelName = (connectionName: string, model: string) => `${connectionName}/${model}`;
