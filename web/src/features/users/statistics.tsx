import { useQuery } from '@tanstack/react-query';
import { errorText } from '#web/lib/api-client.ts';
import { formatNumber } from '#web/lib/text/format.ts';
import { KeyFigures, KeyFiguresError } from '#web/ui/charts/key-figures.tsx';
import { summaryQuery } from './queries.ts';

export function Statistics() {
  const { data, error, isFetching, refetch } = useQuery(summaryQuery);
  if (error && !data) {
    const message = errorText(error, 'Failed to load statistics.');
    return <KeyFiguresError message={message} isTrying={isFetching} onTryAgain={() => void refetch()} />;
  }
  return (
    <KeyFigures
      className="grid-cols-2 lg:grid-cols-4"
      figures={[
        ['Total Users', data && formatNumber(data.total)],
        ['Active Users', data && formatNumber(data.active)],
        ['Administrators', data && formatNumber(data.administrators)],
        ['Signed In, Last 7 Days', data && formatNumber(data.recent)],
      ]}
    />
  );
}
