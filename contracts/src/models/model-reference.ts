/**
 * The text that names a model wherever one is chosen or stored. A model of the installation's own provider is its plain
 * id; one of a connection is `@7/llama3.2`, with the connection's id. One text instead of two fields, so that nothing
 * that stores a model can lose its connection. No known provider has an id of this form: those that begin with `@`
 * continue with a name (`@cf/meta/llama-3`).
 */
const pattern = /^@([1-9]\d{0,8})\/(.+)$/s;

type ModelReference = {
  /** null: the installation's own provider. */
  connectionId: number | null;
  /** The id that the provider knows. */
  model: string;
};

export function parseModelReference(text: string): ModelReference {
  const [, connection, model] = pattern.exec(text) ?? [];
  return connection === undefined || model === undefined
    ? { connectionId: null, model: text }
    : { connectionId: Number(connection), model };
}

export const modelReference = ({ connectionId, model }: ModelReference): string =>
  connectionId === null ? model : `@${connectionId}/${model}`;

/** The id that the provider knows. */
export const modelIdOf = (reference: string): string => parseModelReference(reference).model;

export const connectionIdOf = (reference: string): number | null => parseModelReference(reference).connectionId;
