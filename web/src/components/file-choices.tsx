import { errorText } from '#web/lib/api-client.ts';
import { classNames } from '#web/ui/class-names.ts';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';

export type FileChoice = { id: number; filename: string; size: number };

type FileChoicesProps<Choice extends FileChoice> = {
  /** The user's files, in pages. */
  query: Parameters<typeof LoadMore>[0]['query'] & {
    data: { pages: readonly { items: readonly Choice[] }[] } | undefined;
    isError: boolean;
    error: Error | null;
    isFetching: boolean;
    refetch: () => Promise<unknown>;
  };
  isSearch: boolean;
  chosen: readonly number[];
  /** Text below the name. */
  detail: (file: Choice) => string;
  /** Reason why a file cannot be selected. A selected one can always be removed. */
  blockedReason: (file: Choice) => string | undefined;
  onToggle: (file: Choice) => void;
  className?: string | undefined;
};

/** A multi-select list of files, shown below its search field. */
export function FileChoices<Choice extends FileChoice>(props: FileChoicesProps<Choice>) {
  const { query, isSearch, chosen, detail, blockedReason, onToggle, className } = props;
  if (query.isError)
    return (
      <RetryNotice tone="destructive" live className="mt-3" query={query}>
        {errorText(query.error, 'Failed to load your files.')}
      </RetryNotice>
    );
  if (!query.data) return <SpinnerPanel label="Loading your files" className="min-h-24" />;
  const files = query.data.pages.flatMap(({ items }) => items);
  if (files.length === 0)
    return (
      <p className="mt-3 text-muted-foreground">
        {isSearch ? 'No filename contains this.' : 'There are no files yet. Upload one instead.'}
      </p>
    );
  return (
    <div className={classNames('mt-3 overflow-y-auto', className)}>
      <ul aria-label="Your files" className="p-0.5">
        {files.map((file) => {
          const isChosen = chosen.includes(file.id);
          const reason = isChosen ? undefined : blockedReason(file);
          return (
            <li key={file.id}>
              <Checkbox
                label={
                  <span className={classNames('wrap-anywhere', reason && 'text-muted-foreground')}>
                    {file.filename}
                  </span>
                }
                description={reason ? `${detail(file)}. ${reason}` : detail(file)}
                checked={isChosen}
                disabled={reason !== undefined}
                onChange={() => onToggle(file)}
                className="rounded-sm px-1 py-1.5 not-has-disabled:hover:bg-hover"
              />
            </li>
          );
        })}
      </ul>
      <LoadMore query={query} what="files" />
    </div>
  );
}
