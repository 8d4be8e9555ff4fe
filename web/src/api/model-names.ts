import { parseModelReference } from '@roster/contracts/models/model-reference';
import type { ModelList } from '@roster/contracts/models/models';
import { createStore } from '#web/lib/store.ts';

type Connections = {
  names: ReadonlyMap<number, string>;
  /** Models come from one place only, which needs no name. */
  isSingle: boolean;
};

/** The connections of the list of models that was read last. */
export const connectionNames = createStore<Connections>({ names: new Map(), isSingle: true });

export function rememberConnections({ models, connections }: ModelList): void {
  connectionNames.set({
    names: new Map(connections.map(({ id, name }) => [id, name])),
    isSingle: connections.length + Number(models.length > 0) < 2,
  });
}

/** The id that the provider knows, and the connection's name where there is more than one and it still exists. */
export function modelNameParts(reference: string): { model: string; connection: string | null } {
  const { connectionId, model } = parseModelReference(reference);
  const { names, isSingle } = connectionNames.get();
  return { model, connection: connectionId === null || isSingle ? null : (names.get(connectionId) ?? null) };
}

/** 'gpt-4o', 'llama3.2 (Home)' */
export function modelName(reference: string): string {
  const { model, connection } = modelNameParts(reference);
  return connection === null ? model : `${model} (${connection})`;
}

/** As programs name it: 'gpt-4o', 'Home/llama3.2' */
export function programModelName(reference: string): string {
  const { connectionId, model } = parseModelReference(reference);
  const connection = connectionId === null ? undefined : connectionNames.get().names.get(connectionId);
  return connection === undefined ? model : `${connection}/${model}`;
}
