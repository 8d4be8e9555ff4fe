import { type AssistantChanges, type AssistantDraft, assistants } from '@roster/contracts/assistants/assistants';
import { useMutation } from '@tanstack/react-query';
import type { z } from 'zod';
import { call } from '#web/lib/api-client.ts';
import { useRefetch } from '#web/lib/use-refetch.ts';
import { assistantsQuery } from './assistants.ts';

export function useCreateAssistant() {
  const refetch = useRefetch(assistantsQuery.queryKey);
  return useMutation({
    mutationFn: (draft: z.input<typeof AssistantDraft>) => call(assistants.create, { body: draft }),
    onSuccess: refetch,
  });
}

export function useUpdateAssistant() {
  const refetch = useRefetch(assistantsQuery.queryKey);
  return useMutation({
    mutationFn: ({ id, changes }: { id: number; changes: AssistantChanges }) =>
      call(assistants.update, { params: { id }, body: changes }),
    onSuccess: refetch,
  });
}

export function useDuplicateAssistant() {
  const refetch = useRefetch(assistantsQuery.queryKey);
  return useMutation({
    mutationFn: (id: number) => call(assistants.duplicate, { params: { id } }),
    onSuccess: refetch,
  });
}

export function useDeleteAssistant() {
  const refetch = useRefetch(assistantsQuery.queryKey);
  return useMutation({
    mutationFn: (id: number) => call(assistants.remove, { params: { id } }),
    onSuccess: refetch,
  });
}

export function useSetDefaultAssistant() {
  const refetch = useRefetch(assistantsQuery.queryKey);
  return useMutation({
    mutationFn: (assistantId: number) => call(assistants.setDefault, { body: { assistantId } }),
    onSuccess: refetch,
  });
}

export function useFetchFromProvider() {
  return useMutation({
    /** Without a key the saved one is used. */
    mutationFn: (apiKey: string | undefined) =>
      call(assistants.fetchFromProvider, { body: apiKey === undefined ? {} : { apiKey } }),
  });
}

export function useImportBatch() {
  const refetch = useRefetch(assistantsQuery.queryKey);
  return useMutation({
    mutationFn: ({ assistantIds, apiKey }: { assistantIds: string[]; apiKey: string | undefined }) =>
      call(assistants.importBatch, { body: apiKey === undefined ? { assistantIds } : { assistantIds, apiKey } }),
    onSuccess: refetch,
  });
}

export const usePreviewImportFile = () =>
  useMutation({
    mutationFn: (content: unknown) => call(assistants.importFile, { query: { preview: 'true' }, body: content }),
  });

export function useImportFile() {
  const refetch = useRefetch(assistantsQuery.queryKey);
  return useMutation({
    mutationFn: (content: unknown) => call(assistants.importFile, { body: content }),
    onSuccess: refetch,
  });
}
