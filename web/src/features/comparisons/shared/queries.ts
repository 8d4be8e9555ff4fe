import { chat } from '@roster/contracts/chat';
import {
  type ComparedAnswer,
  type Comparison,
  type ComparisonPrompt,
  comparisons,
  type Vote,
} from '@roster/contracts/comparisons/comparisons';
import { fineTuning } from '@roster/contracts/fine-tuning/jobs';
import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import type { z } from 'zod';
import type { LiveRun } from '#web/api/runs/run-store.ts';
import { call } from '#web/lib/api-client.ts';
import { refreshJudgings, refreshTestSets } from './refresh.ts';
import type { Side } from './sides.ts';

export type WholeComparison = Comparison & { items: ComparisonPrompt[] };
export type ComparisonDraft = z.input<typeof comparisons.create.body>;

const key = ['comparisons'] as const;
const pageSize = 20;
const pollMs = 1_000;
/** Cursor of the first page. */
const start = '';

export const comparisonsQuery = infiniteQueryOptions({
  queryKey: [...key, 'list'],
  queryFn: ({ pageParam, signal }) => {
    const query = {
      limit: pageSize,
      ...(pageParam === start ? {} : { cursor: Number(pageParam) }),
    };
    return call(comparisons.list, { query }, signal);
  },
  initialPageParam: start,
  getNextPageParam: (page) => page.nextCursor,
  refetchOnMount: 'always',
});

export const comparisonQuery = (id: number) =>
  queryOptions({
    queryKey: [...key, 'one', id],
    queryFn: ({ signal }): Promise<WholeComparison> => call(comparisons.comparison, { params: { id } }, signal),
    refetchOnMount: 'always',
    // The server asks the prompts: poll for progress, while answers are streamed.
    refetchInterval: ({ state }) => (state.data?.state === 'asking' ? pollMs : false),
  });

/** Newest tuned models. */
export const tunedModelsQuery = queryOptions({
  queryKey: [...key, 'tuned-models'],
  queryFn: ({ signal }) => call(fineTuning.customModels, { query: { limit: 100 } }, signal),
  refetchOnMount: 'always',
});

/** True while an answer is being written. */
export const isInProgress = (answer: ComparedAnswer | null): boolean =>
  answer?.state === 'queued' || answer?.state === 'running';

/** Runs that are answering a prompt. */
export const runsOf = ({ candidate, baseline }: ComparisonPrompt): number[] =>
  [candidate, baseline].flatMap((answer) => (isInProgress(answer) ? (answer?.runId ?? []) : []));

/** Sides of a prompt: without an earlier answer there may be no baseline. */
export const sidesIn = ({ hasBaseline }: Pick<ComparisonPrompt, 'hasBaseline'>, sides: readonly Side[]) =>
  hasBaseline ? sides : sides.filter((side) => side === 'candidate');

/** Not fully answered: these are asked without `again`. */
export const isOpen = (prompt: ComparisonPrompt, sides: readonly Side[]): boolean =>
  sidesIn(prompt, sides).some((side) => prompt[side]?.state !== 'complete' && !isInProgress(prompt[side]));

function changePrompt(
  client: QueryClient,
  id: number,
  promptId: number,
  change: (prompt: ComparisonPrompt) => ComparisonPrompt,
) {
  client.setQueryData(
    comparisonQuery(id).queryKey,
    (shown) =>
      shown && { ...shown, items: shown.items.map((prompt) => (prompt.id === promptId ? change(prompt) : prompt)) },
  );
}

/** Shows a run's result at once; the server's version is fetched when both answers are complete. */
export function showAnswerEnd(client: QueryClient, id: number, promptId: number, runId: number, run: LiveRun | null) {
  if (run?.end) {
    const { text, usage, end } = run;
    const finishedAt = new Date().toISOString();
    changePrompt(client, id, promptId, (prompt) => {
      const ended = (answer: ComparedAnswer | null) =>
        answer?.runId === runId ? { ...answer, ...end, text, usage, finishedAt } : answer;
      return { ...prompt, candidate: ended(prompt.candidate), baseline: ended(prompt.baseline) };
    });
  }
  const shown = client.getQueryData(comparisonQuery(id).queryKey)?.items.find((prompt) => prompt.id === promptId);
  const isDone = !shown || (!isInProgress(shown.candidate) && !isInProgress(shown.baseline));
  if (!isDone && run?.end) return;
  void client.invalidateQueries({ queryKey: comparisonQuery(id).queryKey });
  void refreshJudgings(client, id);
  void refreshTestSets(client);
}

export function useCreateComparison() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (draft: ComparisonDraft) => call(comparisons.create, { body: draft }),
    onSuccess: () => client.invalidateQueries({ queryKey: comparisonsQuery.queryKey }),
  });
}

type Ask = { promptId: number; again?: boolean; overBudget?: boolean };

export function useAskPrompt(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ promptId, ...how }: Ask) => call(comparisons.ask, { params: { id, promptId }, body: how }),
    // An earlier response would show the prompt as not asked. Refetched when the answers are complete.
    onMutate: () => client.cancelQueries({ queryKey: comparisonQuery(id).queryKey }),
    onSuccess: async (asked) => {
      await client.cancelQueries({ queryKey: comparisonQuery(id).queryKey });
      changePrompt(client, id, asked.id, () => asked);
    },
  });
}

export function useVote(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ promptId, vote }: { promptId: number; vote: Vote | null }) =>
      call(comparisons.vote, { params: { id, promptId }, body: { vote } }),
    // Optimistic; replaced by the server's response.
    onMutate: ({ promptId, vote }) => changePrompt(client, id, promptId, (prompt) => ({ ...prompt, vote })),
    onSuccess: ({ vote }, { promptId }) => changePrompt(client, id, promptId, (prompt) => ({ ...prompt, vote })),
    onError: () => client.invalidateQueries({ queryKey: comparisonQuery(id).queryKey }),
    onSettled: () => Promise.all([refreshJudgings(client, id), refreshTestSets(client)]),
  });
}

export function useStopAnswers() {
  return useMutation({
    mutationFn: (runIds: readonly number[]) =>
      Promise.all(runIds.map((runId) => call(chat.stop, { params: { id: runId } }))),
  });
}

export function useDeleteComparison() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(comparisons.remove, { params: { id } }),
    onSuccess: (_, id) => {
      client.removeQueries({ queryKey: comparisonQuery(id).queryKey });
      return client.invalidateQueries({ queryKey: comparisonsQuery.queryKey });
    },
  });
}
