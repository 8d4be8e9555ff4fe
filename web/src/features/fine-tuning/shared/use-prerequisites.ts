import { useQuery } from '@tanstack/react-query';
import { trainingFilesQuery } from '#web/api/files.ts';
import { baseModelsQuery } from '#web/api/fine-tuning.ts';

/** Models that can be trained, and training files. */
export function usePrerequisites() {
  const baseModels = useQuery(baseModelsQuery);
  const files = useQuery(trainingFilesQuery);
  const error = (!baseModels.data && baseModels.error) || (!files.data && files.error) || null;
  return {
    baseModels: baseModels.data,
    files: files.data,
    error,
    isTrying: baseModels.isFetching || files.isFetching,
    tryAgain: () => {
      for (const query of [baseModels, files]) if (query.isError) void query.refetch();
    },
  };
}
