import { Button } from './button.tsx';
import { Notice } from './states/notice.tsx';

type Pages = {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => Promise<unknown>;
};

type LoadMoreProps = {
  query: Pages;
  /** Name of the items, in the plural. */
  what: string;
};

/** Button that loads the next page of a list; nothing at its end. */
export function LoadMore({ query, what }: LoadMoreProps) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  if (!hasNextPage) return null;
  return (
    <div className="mt-4 flex flex-col items-center gap-3">
      {isFetchNextPageError && !isFetchingNextPage && (
        <Notice tone="destructive" live>
          {`More ${what} could not be loaded.`}
        </Notice>
      )}
      <Button busy={isFetchingNextPage} pendingLabel="Loading..." onClick={() => void fetchNextPage()}>
        {isFetchNextPageError ? 'Try Again' : `Load more ${what}`}
      </Button>
    </div>
  );
}
