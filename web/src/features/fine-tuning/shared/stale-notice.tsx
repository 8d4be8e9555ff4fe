import { errorText } from '#web/lib/api-client.ts';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';

type StaleNoticeProps = {
  /** Name of the list, in the plural. */
  what: string;
  query: { error: Error | null; isFetching: boolean; refetch: () => Promise<unknown> };
  /** Older data can still be shown. */
  hasData: boolean;
};

/** A muted notice that a list is empty or outdated because it failed to load. */
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
