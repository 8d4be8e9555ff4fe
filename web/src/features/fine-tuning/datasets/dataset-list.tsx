import type { Dataset } from '@roster/contracts/fine-tuning/datasets';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MessageSquare, MessagesSquare, Plus } from 'lucide-react';
import { useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { errorText } from '#web/lib/api-client.ts';
import { formatNumber } from '#web/lib/text/format.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { type Column, Table } from '#web/ui/table.tsx';
import { CreateDatasetDialog } from './create-dataset-dialog.tsx';
import { DatasetMenu } from './dataset-menu.tsx';
import { formatNames } from './labels.ts';
import { datasetsQuery } from './queries.ts';
import { ReviewProgress } from './review-progress.tsx';

const columns: readonly Column<Dataset>[] = [
  {
    id: 'name',
    header: 'Name',
    isTitle: true,
    cell: ({ id, name }) => (
      <Link
        to="/fine-tuning/datasets/$id"
        params={{ id }}
        title={name}
        className="rounded-xs font-medium -outline-offset-1 hover:underline"
      >
        {name}
      </Link>
    ),
  },
  {
    id: 'format',
    header: 'Format',
    width: 'w-32',
    cell: ({ format }) => <Badge tone={format === 'chat' ? 'primary' : 'violet'}>{formatNames[format]}</Badge>,
  },
  {
    id: 'examples',
    header: 'Examples',
    width: 'w-28',
    align: 'end',
    cell: ({ examples }) => <span className="tabular-nums">{formatNumber(examples)}</span>,
  },
  { id: 'review', header: 'Review', width: 'w-56', cell: (dataset) => <ReviewProgress dataset={dataset} /> },
  {
    id: 'changed',
    header: 'Last changed',
    width: 'w-40',
    cell: ({ updatedAt }) => <RelativeTime date={updatedAt} />,
  },
];

export function DatasetList() {
  const [creating, setCreating] = useState(false);
  // Outside the list's states: otherwise the dialog would unmount with the first dataset and could not report its
  // result.
  return (
    <>
      <Datasets onCreate={() => setCreating(true)} />
      {creating && <CreateDatasetDialog onClose={() => setCreating(false)} />}
    </>
  );
}

function Datasets({ onCreate }: { onCreate: () => void }) {
  const query = useInfiniteQuery(datasetsQuery);
  const { reason } = useEditAccess();
  const datasets = query.data ? allItems(query.data) : [];
  const create = (
    <Button variant="primary" icon={Plus} disabledReason={reason} onClick={onCreate}>
      New Dataset
    </Button>
  );
  if (query.isError && datasets.length === 0)
    return (
      <ErrorState
        title="Failed to load datasets"
        message={errorText(query.error, 'An error occurred while loading your datasets.')}
        busy={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  if (query.isSuccess && datasets.length === 0)
    return (
      <EmptyState
        icon={MessagesSquare}
        title="No datasets yet"
        text="Rate answers in your chats as good, or improve them. A dataset collects them as examples that you review and save as a training file."
        action={
          <>
            {create}
            <Link to="/chat" className={buttonClass()}>
              <MessageSquare aria-hidden className="size-4" />
              Go to Chat
            </Link>
          </>
        }
      />
    );
  return (
    <section aria-label="Datasets">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-[72ch] text-muted-foreground">
          Answers you rated in your chats, collected as training examples.
        </p>
        {create}
      </div>
      <Table
        label="Datasets"
        columns={columns}
        rows={datasets}
        rowKey={({ id }) => id}
        loadingRows={query.isPending ? 4 : 0}
        actions={(dataset) => <DatasetMenu dataset={dataset} />}
      />
      <LoadMore query={query} what="datasets" />
    </section>
  );
}
