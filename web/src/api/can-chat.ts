import { useQuery } from '@tanstack/react-query';
import { modelsQuery } from './models.ts';
import { userConfigQuery } from './user-config.ts';

/** True if the key of the installation's provider, or a connection, can answer; undefined while unknown. */
export function useCanChat(enabled = true): boolean | undefined {
  const { data: config } = useQuery({ ...userConfigQuery, enabled });
  const hasKey = config?.hasApiKey;
  const models = useQuery({ ...modelsQuery, enabled: enabled && hasKey === false });
  if (hasKey !== false) return hasKey;
  if (models.data) return models.data.connections.length > 0;
  return models.isError ? false : undefined;
}
