import { Button } from '#web/ui/button.tsx';
import { Notice, type NoticeProps } from './notice.tsx';

type RetryNoticeProps = Omit<NoticeProps, 'action'> & {
  /** What could not be read, or not anew. */
  query: { isFetching: boolean; refetch: () => Promise<unknown> };
};

/** Says that something could not be read, with the way to try it again. */
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
