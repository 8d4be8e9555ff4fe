import type { AssistantTools } from '@roster/contracts/assistants/tools';
import { useQuery } from '@tanstack/react-query';
import { assistantsQuery } from '#web/api/assistants.ts';
import { chosenToolsQuery } from '#web/api/chosen-tools.ts';
import { toolSupportQuery } from '#web/api/models.ts';
import type { ComposerTools } from '#web/features/chat/shared/thread-tools.ts';

type AssistantsTools = {
  own: AssistantTools;
  model: string | null;
  assistant: string | null;
};

/** The chat target's own tools; undefined while loading. */
export function useDefaultTools({ assistantId, model }: Pick<ComposerTools, 'assistantId' | 'model'>) {
  const assistants = useQuery(assistantsQuery);
  const assistant = assistants.data?.find(({ id }) => id === assistantId);
  if (assistantId !== null && assistants.isPending) return undefined;
  const own: AssistantsTools = assistant
    ? { own: assistant.tools, model: assistant.model, assistant: assistant.name }
    : { own: {}, model, assistant: null };
  return own;
}

/** Reasons why its model lacks a tool, as far as known. */
export const useToolSupport = (model: string | null, enabled: boolean) =>
  useQuery({ ...toolSupportQuery(model), enabled });

type UsedServer = { id: number; name: string };

/** Tool servers of its assistant; undefined while loading. */
export function useServers(assistantId: number | null, enabled = true): UsedServer[] | undefined {
  const chosen = useQuery({ ...chosenToolsQuery(assistantId ?? 0), enabled: enabled && assistantId !== null });
  if (assistantId === null) return [];
  const servers = chosen.data?.map(({ serverId, serverName }) => [serverId, serverName] as const);
  return servers && [...new Map(servers)].map(([id, name]) => ({ id, name }));
}
