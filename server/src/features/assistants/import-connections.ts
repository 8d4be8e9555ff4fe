import { modelReference } from '@roster/contracts/models/model-reference';
import type { ConnectionRow } from '#server/provider/connections/connection-repository';
import type { NamedConnection } from './parse-import.ts';

type OwnConnection = Pick<ConnectionRow, 'id' | 'preset' | 'name'>;

/** The connection of this name, else the only one to the same provider. */
function findConnection(named: NamedConnection, own: readonly OwnConnection[]): OwnConnection | undefined {
  const byName = own.find(({ name }) => name === named.name);
  if (byName) return byName;
  const toProvider = named.preset === 'other' ? [] : own.filter(({ preset }) => preset === named.preset);
  return toProvider.length === 1 ? toProvider[0] : undefined;
}

/** The fallback is left out if its connection is not here. */
export function placeFallback(
  model: string | null,
  named: NamedConnection | null,
  own: readonly OwnConnection[],
): { fallbackModel: string | null; notes: string[] } {
  if (model === null) return { fallbackModel: null, notes: [] };
  const placed = placeModel(model, named, own);
  if (placed.notes.length === 0) return { fallbackModel: placed.model, notes: [] };
  const note = `Its fallback ${model} belongs to the connection ${named?.name}, which does not exist here, so it is left out.`;
  return { fallbackModel: null, notes: [note] };
}

/** The model of an imported assistant at the connection that its file names, with a note if there is none here. */
export function placeModel(
  model: string,
  named: NamedConnection | null,
  own: readonly OwnConnection[],
): { model: string; notes: string[] } {
  if (named === null) return { model, notes: [] };
  const found = findConnection(named, own);
  if (found) return { model: modelReference({ connectionId: found.id, model }), notes: [] };
  return {
    model,
    notes: [`Its model ${model} belongs to the connection ${named.name}, which is not here. Choose another model.`],
  };
}
