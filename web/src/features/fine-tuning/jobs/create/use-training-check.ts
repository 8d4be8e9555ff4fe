import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type TrainingInput, trainingReportQuery } from '../training-file-queries.ts';

const idle = { trainingFileId: 0, validationFileId: null, baseModel: '', method: 'supervised' } as const;

/** Checks the selected files whenever the selection changes. */
export function useTrainingCheck(input: TrainingInput | null) {
  const client = useQueryClient();
  const options = trainingReportQuery(input ?? idle);
  const id = JSON.stringify(options.queryKey);
  /** Key of the cancelled check; another selection starts a new one. */
  const [stopped, setStopped] = useState<string | null>(null);
  const isStopped = stopped === id;
  const query = useQuery({ ...options, enabled: input !== null && !isStopped });
  return {
    report: input === null ? undefined : query.data,
    error: input === null ? null : query.error,
    isRunning: input !== null && query.isFetching,
    isStopped,
    stop: () => {
      setStopped(id);
      void client.cancelQueries({ queryKey: options.queryKey });
    },
    again: () => {
      if (isStopped) setStopped(null);
      else void query.refetch();
    },
  };
}

export type TrainingCheck = ReturnType<typeof useTrainingCheck>;
