import { datasets } from '@roster/contracts/fine-tuning/datasets';
import { queryOptions, skipToken } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';

/** Instructions generated from a dataset's examples when the form is opened. */
export const exampleInstructionsQuery = (datasetId: number | undefined) =>
  queryOptions({
    queryKey: ['fine-tuning', 'datasets', datasetId, 'instructions'],
    queryFn:
      datasetId === undefined
        ? skipToken
        : ({ signal }) => call(datasets.instructions, { params: { id: datasetId } }, signal),
    refetchOnMount: 'always',
  });
