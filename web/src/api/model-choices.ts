import {
  type ModelChoices,
  modelChoices,
  noModelChoices,
  recentModelLimit,
} from '@roster/contracts/models/model-choices';
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';

const modelChoicesQuery = queryOptions({
  queryKey: ['model-choices'],
  queryFn: ({ signal }) => call(modelChoices.choices, {}, signal),
  staleTime: 5 * 60_000,
});

const chosenIn = (client: QueryClient) => client.getQueryData(modelChoicesQuery.queryKey) ?? noModelChoices;

const toggled = (list: readonly string[], model: string) =>
  list.includes(model) ? list.filter((one) => one !== model) : [model, ...list];

/** Marked, hidden and last chosen models, and how they change. Changes show at once. */
export function useModelChoices() {
  const client = useQueryClient();
  const { data } = useQuery(modelChoicesQuery);
  const saving = useMutation({
    mutationFn: (changed: Partial<ModelChoices>) => call(modelChoices.save, { body: changed }),
    onMutate: (changed) => client.setQueryData(modelChoicesQuery.queryKey, { ...chosenIn(client), ...changed }),
    onError(error) {
      showFailure('Failed to save the choice of models')(error);
      return client.invalidateQueries({ queryKey: modelChoicesQuery.queryKey });
    },
  });
  const change = (list: 'favorites' | 'hidden', model: string) =>
    saving.mutate({ [list]: toggled(chosenIn(client)[list], model) });
  return {
    choices: data ?? noModelChoices,
    toggleFavorite: (model: string) => change('favorites', model),
    toggleHidden: (model: string) => change('hidden', model),
    /** The last of them was chosen last. */
    remember(...models: readonly string[]) {
      const { recent } = chosenIn(client);
      const newest = [...new Set(models)].reverse();
      // A list that is not loaded yet must not be replaced.
      if (!data || newest.every((model, index) => recent[index] === model)) return;
      const others = recent.filter((model) => !newest.includes(model));
      saving.mutate({ recent: [...newest, ...others].slice(0, recentModelLimit) });
    },
  };
}
