import { Button } from '#web/ui/button.tsx';
import { Notice, type NoticeProps } from './notice.tsx';

type RetryNoticeProps = Omit<NoticeProps, 'action'> & {
  /** A query that failed to load or to refresh. */
  query: { isFetching: boolean; refetch: () => Promise<unknown> };
};

/** A notice that something failed to load, with a button to retry. */
export function RetryNotice({ query, ...rest }: RetryNoticeProps) {
  return (
    <Notice
      {...rest}
      action={
        <Button size="sm" busy={query.isFetching} onClick={() => void query.refetch()}>
          Try Again
        </Button>
      }
    />
  );
}
