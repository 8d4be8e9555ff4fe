import type { ToolChoice } from '@roster/contracts/tool-servers/tool-choice';
import {
  type ChosenTool,
  type NewToolCommand,
  type NewToolServer,
  type ToolServer,
  type ToolServerChanges,
  toolServers,
} from '@roster/contracts/tool-servers/tool-servers';
import { notifyManager, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { z } from 'zod';
import { assistantsQuery } from '#web/api/assistants.ts';
import { chosenToolsQuery } from '#web/api/chosen-tools.ts';
import { call } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { useRefetch } from '#web/lib/use-refetch.ts';

const whileLooking = 1_000;
export const serversKey = ['tool-servers'] as const;

/** Polled while a server's tools are being fetched. */
export const toolServersQuery = queryOptions({
  queryKey: [...serversKey, 'list'],
  queryFn: ({ signal }) => call(toolServers.list, {}, signal),
  refetchOnMount: 'always',
  refetchInterval: ({ state: { data = [] } }) => (data.some(({ state }) => state === 'waiting') ? whileLooking : false),
});

/** Keyed by the last refresh, which may change the tools. */
export const serverToolsQuery = ({ id, lookedAt }: Pick<ToolServer, 'id' | 'lookedAt'>) =>
  queryOptions({
    queryKey: [...serversKey, id, 'tools', lookedAt],
    queryFn: ({ signal }) => call(toolServers.tools, { params: { id } }, signal),
    refetchOnMount: 'always',
  });

/** Commands that the operator allows; for administrators. */
export const toolCommandsQuery = queryOptions({
  queryKey: [...serversKey, 'commands'],
  queryFn: ({ signal }) => call(toolServers.commands, {}, signal),
});

export function useAddServer() {
  const onSettled = useRefetch(serversKey);
  return useMutation({
    mutationFn: (body: z.input<typeof NewToolServer>) => call(toolServers.create, { body }),
    onSettled,
    // The header value is not cached beyond the dialog.
    gcTime: 0,
  });
}

export function useAddCommand() {
  const onSettled = useRefetch(serversKey);
  return useMutation({
    mutationFn: (body: z.input<typeof NewToolCommand>) => call(toolServers.addCommand, { body }),
    onSettled,
  });
}

export function useChangeServer(id: number) {
  const onSettled = useRefetch(serversKey);
  return useMutation({
    mutationFn: (body: ToolServerChanges) => call(toolServers.update, { params: { id }, body }),
    onSettled,
    gcTime: 0,
  });
}

export function useRemoveServer() {
  const onSettled = useRefetch(serversKey);
  return useMutation({ mutationFn: (id: number) => call(toolServers.remove, { params: { id } }), onSettled });
}

export function useRefreshServer() {
  const onSettled = useRefetch(serversKey);
  return useMutation({ mutationFn: (id: number) => call(toolServers.refresh, { params: { id } }), onSettled });
}

/** Starts signing in at a server; the browser leaves the page. */
export function useSignIn() {
  const onSettled = useRefetch(serversKey);
  return useMutation({
    mutationFn: (id: number) => call(toolServers.signIn, { params: { id } }),
    onSuccess: ({ address }) => window.location.assign(address),
    onError: onSettled,
    gcTime: 0,
  });
}

export function useSignOut() {
  const onSettled = useRefetch(serversKey);
  return useMutation({ mutationFn: (id: number) => call(toolServers.signOut, { params: { id } }), onSettled });
}

/** A change to one tool of an assistant; null removes it. */
export type ChoiceChange = Pick<ToolChoice, 'serverId' | 'name'> & { choice: ToolChoice | null };

type Chosen = Pick<ChosenTool, 'serverId' | 'name' | 'approval' | 'digest'>;
const isOf = (one: Pick<ToolChoice, 'serverId' | 'name'>, { serverId, name }: Chosen) =>
  one.serverId === serverId && one.name === name;

const toChoice = ({ serverId, name, approval, digest }: Chosen): ToolChoice => ({ serverId, name, approval, digest });

/** Applies a change; a tool keeps its position. */
export function applyChange(chosen: readonly Chosen[], change: ChoiceChange): ToolChoice[] {
  const before = chosen.map(toChoice);
  const { choice } = change;
  if (!choice) return before.filter((one) => !isOf(change, one));
  const isThere = before.some((one) => isOf(change, one));
  return isThere ? before.map((one) => (isOf(change, one) ? choice : one)) : [...before, choice];
}

/**
 * Tools chosen after all pending changes, and a function to change them. Changes are sent in order, each based on the
 * previous result.
 */
export function useToolSelection(assistantId: number, chosen: readonly Chosen[]) {
  const client = useQueryClient();
  const { queryKey } = chosenToolsQuery(assistantId);
  // Own state, because it renders at once: a mutation's state arrives a task later, and the box would appear unticked
  // until then.
  const [inProgress, setInProgress] = useState<readonly ChoiceChange[]>([]);
  const { mutateAsync } = useMutation({
    scope: { id: `tools-of-${assistantId}` },
    mutationFn: async (changes: readonly ChoiceChange[]) => {
      // A running fetch would restore the old selection.
      await client.cancelQueries({ queryKey });
      return call(toolServers.choose, {
        params: { id: assistantId },
        body: {
          tools: changes.reduce<readonly Chosen[]>(applyChange, client.getQueryData(queryKey) ?? []).map(toChoice),
        },
      });
    },
    onSuccess: (stored) => {
      client.setQueryData(queryKey, stored);
      // The change creates a new version.
      void client.invalidateQueries({ queryKey: assistantsQuery.queryKey });
    },
    onError: () => client.invalidateQueries({ queryKey: serversKey }),
  });
  async function change(...changes: ChoiceChange[]) {
    setInProgress((before) => [...before, ...changes]);
    await mutateAsync(changes).catch(showFailure('Failed to update the tools'));
    // After the cache has notified its subscribers.
    notifyManager.schedule(() => setInProgress((before) => before.filter((other) => !changes.includes(other))));
  }
  return { expected: inProgress.reduce<ToolChoice[]>(applyChange, chosen.map(toChoice)), change };
}
