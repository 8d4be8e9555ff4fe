import { modelMigrations, type UndoneMigration } from '@roster/contracts/assistants/model-migrations';
import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { modelName } from '#web/api/model-names.ts';
import { call, callPage } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { toast } from '#web/lib/toast.ts';
import { assistantsQuery } from './assistants.ts';
import { retirementQuery } from './retirement.ts';

/** Nested under the assistants' key, so that a change to an assistant refetches migrations too. */
const movesKey = [...assistantsQuery.queryKey, 'moves'] as const;
const start = '';
/** Long enough to read the toast and press Undo. */
const undoMs = 20_000;

/** Past migrations of assistants, newest first. */
export const modelMigrationsQuery = infiniteQueryOptions({
  queryKey: [...movesKey, 'done'],
  queryFn: ({ pageParam, signal }) =>
    callPage(
      modelMigrations.list,
      { query: pageParam === start ? { limit: 5 } : { limit: 20, cursor: Number(pageParam) } },
      signal,
    ),
  initialPageParam: start,
  getNextPageParam: (page) => page.nextCursor,
});

/** Preview of what a migration would change. */
export const modelMigrationPlanQuery = (fromModel: string, toModel: string) =>
  queryOptions({
    queryKey: [...movesKey, 'plan', fromModel, toModel],
    queryFn: ({ signal }) => call(modelMigrations.plan, { query: { fromModel, toModel } }, signal),
    enabled: toModel !== '' && toModel !== fromModel,
    placeholderData: keepPreviousData,
    refetchOnMount: 'always',
  });

/** Refetch everything: conversations, comparisons and lists of retiring models all show the answering model. */
const readAgain = (client: QueryClient) => void client.invalidateQueries();

/** Names of the first `count` assistants, and how many more. */
export function listNames(assistants: readonly { name: string }[], count: number): string {
  const names = assistants.map(({ name }) => name);
  const more = count - names.length;
  if (more > 0) return `${names.join(', ')} and ${formatCount(more, 'other')}`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function showUndone({ fromModel, undone, leftAlone }: UndoneMigration) {
  const others = leftAlone.slice(0, 5);
  const left =
    leftAlone.length > 0 && `The model of ${listNames(others, leftAlone.length)} has been changed since and was kept.`;
  toast({
    title:
      undone > 0
        ? `${formatCount(undone, 'assistant')} back on ${modelName(fromModel)}`
        : `No assistants changed back to ${modelName(fromModel)}`,
    description: left || undefined,
  });
}

/** Shows its own toasts: the user may have left the page by the time it finishes. */
export function useUndoModelMigration() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(modelMigrations.undo, { params: { id } }),
    onSuccess: (undone) => {
      readAgain(client);
      showUndone(undone);
    },
    onError: (error) => {
      readAgain(client);
      showFailure('Failed to undo the migration')(error);
    },
  });
}

type WantedModelMigration = { fromModel: string; toModel: string; assistantIds?: number[] };

const isRetired = (client: QueryClient, name: string) =>
  client.getQueryData(retirementQuery.queryKey)?.some(({ model, lifecycle }) => model === name && lifecycle === 'gone');

/** Shows a toast with Undo, unless the old model has already been retired. */
export function useMigrateModels() {
  const client = useQueryClient();
  const undo = useUndoModelMigration();
  return useMutation({
    mutationFn: (body: WantedModelMigration) => call(modelMigrations.move, { body }),
    onSuccess: ({ id, toModel, moved, leftAlone, remaining, fromModel }, { assistantIds }) => {
      const isFinal = isRetired(client, fromModel);
      readAgain(client);
      const changed = leftAlone.length > 0 && `${formatCount(leftAlone.length, 'other')} had already changed.`;
      const more =
        assistantIds === undefined &&
        remaining > 0 &&
        `${formatCount(remaining, 'other')} still use ${modelName(fromModel)}.`;
      toast({
        title: `${formatCount(moved, 'assistant')} migrated to ${modelName(toModel)}`,
        description: [changed, more].filter(Boolean).join(' ') || 'Each was saved as a new version.',
        duration: undoMs,
        action: isFinal ? undefined : { label: 'Undo', onSelect: () => undo.mutate(id) },
      });
    },
  });
}
