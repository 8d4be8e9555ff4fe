import type { Job, TrainingMethod } from '@roster/contracts/fine-tuning/jobs';
import { type TrainingReport, trainingFiles } from '@roster/contracts/fine-tuning/training-files';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { useRefetchedFiles } from '#web/api/files.ts';
import { call } from '#web/lib/api-client.ts';

/** Files checked together. The number of epochs is not included: it only multiplies the result. */
export type TrainingInput = {
  trainingFileId: number;
  validationFileId: number | null;
  baseModel: string;
  method: TrainingMethod;
};

/** Report of a check. Stored files never change, so it stays valid. */
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

/** Estimated cost for a number of epochs; the provider's likely choice for 'auto'. */
export function trainingCost({ training, estimate }: TrainingReport, epochs: number | 'auto') {
  if (epochs === 'auto') return estimate;
  const tokens = training.tokens * epochs;
  const price = estimate.pricePerMillionUsd;
  return { ...estimate, epochs, tokens, costUsd: price === null ? null : (tokens / 1_000_000) * price };
}

export const jobEstimateKey = (jobId: number) => ['job-estimate', jobId] as const;

/**
 * Estimated cost of a job. Immediate for jobs created here; for others the file is tokenized on request, which takes
 * the server seconds.
 */
export const jobEstimateQuery = ({ id, trainingFile, baseModel, method, hyperparameters }: Job) =>
  queryOptions({
    queryKey: jobEstimateKey(id),
    queryFn: async ({ signal }) => {
      if (trainingFile.id === null) throw new Error('The training file no longer exists here.');
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
