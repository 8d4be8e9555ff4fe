import type { Job, TrainingMethod } from '@roster/contracts/fine-tuning/jobs';
import { type TrainingReport, trainingFiles } from '@roster/contracts/fine-tuning/training-files';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { useRefetchedFiles } from '#web/api/files.ts';
import { call } from '#web/lib/api-client.ts';

/** What is checked together. The number of epochs is not part of it: it only multiplies what was counted. */
export type TrainingInput = {
  trainingFileId: number;
  validationFileId: number | null;
  baseModel: string;
  method: TrainingMethod;
};

/** The report of a check. Stored files do not change, so what was found stays true. */
export const trainingReportQuery = ({ trainingFileId, validationFileId, baseModel, method }: TrainingInput) =>
  queryOptions({
    queryKey: ['training-report', trainingFileId, validationFileId, baseModel, method],
    queryFn: ({ signal }) =>
      call(
        trainingFiles.validate,
        { body: { trainingFileId, validationFileId, method, ...(baseModel === '' ? {} : { baseModel }) } },
        signal,
      ),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30 * 60_000,
    retry: false,
  });

/** What a training costs with so many epochs; the provider's likely choice where none are given. */
export function trainingCost({ training, estimate }: TrainingReport, epochs: number | 'auto') {
  if (epochs === 'auto') return estimate;
  const tokens = training.tokens * epochs;
  const price = estimate.pricePerMillionUsd;
  return { ...estimate, epochs, tokens, costUsd: price === null ? null : (tokens / 1_000_000) * price };
}

export const jobEstimateKey = (jobId: number) => ['job-estimate', jobId] as const;

/**
 * What a job will cost. Known at once for a job that was created here; for another its file is counted when a user
 * asks for it, because that takes the server seconds.
 */
export const jobEstimateQuery = ({ id, trainingFile, baseModel, method, hyperparameters }: Job) =>
  queryOptions({
    queryKey: jobEstimateKey(id),
    queryFn: async ({ signal }) => {
      if (trainingFile.id === null) throw new Error('The training file is not here any more.');
      const body = { trainingFileId: trainingFile.id, baseModel, method };
      const report = await call(trainingFiles.validate, { body }, signal);
      return trainingCost(report, hyperparameters.n_epochs ?? 'auto');
    },
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export function useConvertFile() {
  const refetch = useRefetchedFiles();
  return useMutation({
    mutationFn: (fileId: number) => call(trainingFiles.convert, { body: { fileId } }),
    onSuccess: refetch,
  });
}

export function useSplitFile() {
  const refetch = useRefetchedFiles();
  return useMutation({
    mutationFn: ({ fileId, validationShare }: { fileId: number; validationShare: number }) =>
      call(trainingFiles.split, { body: { fileId, validationShare } }),
    onSuccess: refetch,
  });
}
