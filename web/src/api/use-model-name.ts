import { connectionIdOf } from '@roster/contracts/models/model-reference';
import { useQuery } from '@tanstack/react-query';
import { useStore } from '#web/lib/store.ts';
import { connectionNames, modelName } from './model-names.ts';
import { modelsQuery } from './models.ts';

/** Reads the connections' names if one of these models needs one. */
export function useConnectionNames(...references: readonly (string | null | undefined)[]): void {
  const isNeeded = references.some((reference) => reference && connectionIdOf(reference) !== null);
  useQuery({ ...modelsQuery, enabled: isNeeded });
  useStore(connectionNames);
}

/** `modelName` that follows the connections. */
export function useModelName(reference: string): string {
  useConnectionNames(reference);
  return modelName(reference);
}
