import { datasets } from '@roster/contracts/fine-tuning/datasets';
import { queryOptions, skipToken } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** Instructions made of the examples of a dataset, as they are when the form is opened. */
export const exampleInstructionsQuery = (datasetId: number | undefined) =>
  queryOptions({
    queryKey: ['fine-tuning', 'datasets', datasetId, 'instructions'],
    queryFn:
      datasetId === undefined
        ? skipToken
        : ({ signal }) => call(datasets.instructions, { params: { id: datasetId } }, signal),
    refetchOnMount: 'always',
  });
