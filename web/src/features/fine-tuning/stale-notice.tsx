import { errorText } from '#web/lib/api.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';

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
    <Notice
      tone="warning"
      live
      className="mb-4"
      title={hasData ? `These ${what} may be out of date` : `Your ${what} could not be loaded`}
      action={
        <Button size="sm" busy={query.isFetching} onClick={() => void query.refetch()}>
          Try Again
        </Button>
      }
    >
      {errorText(query.error)}
    </Notice>
  );
}
