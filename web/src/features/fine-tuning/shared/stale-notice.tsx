import { errorText } from '#web/lib/api-client.ts';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';

type StaleNoticeProps = {
  /** What could not be loaded, in the plural. */
  what: string;
  query: { error: Error | null; isFetching: boolean; refetch: () => Promise<unknown> };
  /** There is something of before to look at. */
  hasData: boolean;
};

/** Says quietly that a list is empty or old because it could not be loaded. */
export function StaleNotice({ what, query, hasData }: StaleNoticeProps) {
  if (!query.error) return null;
  return (
    <RetryNotice
      tone="warning"
      live
      query={query}
      className="mb-4"
      title={hasData ? `These ${what} may be out of date` : `Your ${what} could not be loaded`}
    >
      {errorText(query.error)}
    </RetryNotice>
  );
}
