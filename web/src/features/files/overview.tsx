import { useQuery } from '@tanstack/react-query';
import { filesSummaryQuery } from '#web/api/files.ts';
import { errorText } from '#web/lib/api-client.ts';
import { formatMegabytes, formatNumber } from '#web/lib/text/format.ts';
import { KeyFigures, KeyFiguresError } from '#web/ui/charts/key-figures.tsx';

export function Overview() {
  const { data, error, isFetching, refetch } = useQuery(filesSummaryQuery);
  if (error && !data) {
    const message = errorText(error, 'The figures could not be loaded.');
    return <KeyFiguresError message={message} isTrying={isFetching} onTryAgain={() => void refetch()} />;
  }
  return (
    <KeyFigures
      className="grid-cols-3 max-sm:grid-cols-2"
      figures={[
        ['Total Files', data && formatNumber(data.totalFiles)],
        ['Storage Used', data && (data.storageUsedBytes === 0 ? '0 MB' : formatMegabytes(data.storageUsedBytes))],
        ['Files Used by AI', data && formatNumber(data.filesUsedByAi)],
      ]}
    />
  );
}
