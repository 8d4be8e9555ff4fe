import {
  type ChosenTool,
  type NewToolCommand,
  type NewToolServer,
  type ToolChoice,
  type ToolServer,
  type ToolServerChanges,
  toolServers,
} from '@roster/contracts/tool-servers';
import { queryOptions, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import { call } from '#web/lib/api.ts';

const whileLooking = 1_000;
const serversKey = ['tool-servers'] as const;

/** Looked at again while one of them is being asked for its tools. */
export const toolServersQuery = queryOptions({
  queryKey: [...serversKey, 'list'],
  queryFn: ({ signal }) => call(toolServers.list, {}, signal),
  refetchOnMount: 'always',
  refetchInterval: ({ state: { data = [] } }) => (data.some(({ state }) => state === 'waiting') ? whileLooking : false),
});

/** Of one look: another one has other tools. */
export const serverToolsQuery = ({ id, lookedAt }: Pick<ToolServer, 'id' | 'lookedAt'>) =>
  queryOptions({
    queryKey: [...serversKey, id, 'tools', lookedAt],
    queryFn: ({ signal }) => call(toolServers.tools, { params: { id } }, signal),
    refetchOnMount: 'always',
  });

export const chosenToolsQuery = (assistantId: number) =>
  queryOptions({
    queryKey: [...serversKey, 'of-assistant', assistantId],
    queryFn: ({ signal }) => call(toolServers.chosen, { params: { id: assistantId } }, signal),
    refetchOnMount: 'always',
  });

/** What the operator allows as tool servers; for administrators. */
export const toolCommandsQuery = queryOptions({
  queryKey: [...serversKey, 'commands'],
  queryFn: ({ signal }) => call(toolServers.commands, {}, signal),
});

function useRefetched() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: serversKey });
}

export function useAddServer() {
  const onSettled = useRefetched();
  return useMutation({
    mutationFn: (body: z.input<typeof NewToolServer>) => call(toolServers.create, { body }),
    onSettled,
    // The value of its header is kept no longer than the dialog that takes it.
    gcTime: 0,
  });
}

export function useAddCommand() {
  const onSettled = useRefetched();
  return useMutation({
    mutationFn: (body: z.input<typeof NewToolCommand>) => call(toolServers.addCommand, { body }),
    onSettled,
  });
}

export function useChangeServer(id: number) {
  const onSettled = useRefetched();
  return useMutation({
    mutationFn: (body: ToolServerChanges) => call(toolServers.update, { params: { id }, body }),
    onSettled,
    gcTime: 0,
  });
}

export function useRemoveServer() {
  const onSettled = useRefetched();
  return useMutation({ mutationFn: (id: number) => call(toolServers.remove, { params: { id } }), onSettled });
}

export function useRefreshServer() {
  const onSettled = useRefetched();
  return useMutation({ mutationFn: (id: number) => call(toolServers.refresh, { params: { id } }), onSettled });
}

/** Where to go to sign in at a server; the browser leaves the page. */
export function useSignIn() {
  const onSettled = useRefetched();
  return useMutation({
    mutationFn: (id: number) => call(toolServers.signIn, { params: { id } }),
    onSuccess: ({ address }) => window.location.assign(address),
    onError: onSettled,
    gcTime: 0,
  });
}

export function useSignOut() {
  const onSettled = useRefetched();
  return useMutation({ mutationFn: (id: number) => call(toolServers.signOut, { params: { id } }), onSettled });
}

/** One change to the tools of an assistant: another choice of a tool, or none. */
export type ChoiceChange = Pick<ToolChoice, 'serverId' | 'name'> & { choice: ToolChoice | null };

type Chosen = Pick<ChosenTool, 'serverId' | 'name' | 'approval' | 'digest'>;
const isOf = (one: Pick<ToolChoice, 'serverId' | 'name'>, { serverId, name }: Chosen) =>
  one.serverId === serverId && one.name === name;

/** What is chosen after a change; a tool keeps its place. */
export function changed(chosen: readonly Chosen[], change: ChoiceChange): ToolChoice[] {
  const before = chosen.map(({ serverId, name, approval, digest }) => ({ serverId, name, approval, digest }));
  const { choice } = change;
  if (!choice) return before.filter((one) => !isOf(change, one));
  const isThere = before.some((one) => isOf(change, one));
  return isThere ? before.map((one) => (isOf(change, one) ? choice : one)) : [...before, choice];
}

const changeKey = (assistantId: number) => ['choose-tool', assistantId];

/** Changes are made one after the other, each to what the one before has left. */
export function useChoose(assistantId: number) {
  const client = useQueryClient();
  const { queryKey } = chosenToolsQuery(assistantId);
  return useMutation({
    mutationKey: changeKey(assistantId),
    scope: { id: `tools-of-${assistantId}` },
    mutationFn: (change: ChoiceChange) =>
      call(toolServers.choose, {
        params: { id: assistantId },
        body: { tools: changed(client.getQueryData(queryKey) ?? [], change) },
      }),
    onSuccess: (chosen) => client.setQueryData(queryKey, chosen),
    onError: () => client.invalidateQueries({ queryKey: serversKey }),
  });
}

/** What is to be chosen once all that is under way has been done. */
export function useExpected(assistantId: number, chosen: readonly Chosen[]): ToolChoice[] {
  const underWay = useMutationState({
    filters: { mutationKey: changeKey(assistantId), status: 'pending' },
    select: ({ state }): unknown => state.variables,
  });
  return underWay.filter(isChange).reduce<ToolChoice[]>(
    changed,
    chosen.map((one) => ({ ...one })),
  );
}

const isChange = (variables: unknown): variables is ChoiceChange =>
  typeof variables === 'object' && variables !== null && 'choice' in variables;
