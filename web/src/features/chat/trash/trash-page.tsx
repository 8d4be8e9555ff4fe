import { type TrashedThread, trash, trashDays } from '@roster/contracts/trash';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { refreshLists } from '#web/features/chat/shared/thread-cache.ts';
import { call, errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCount, formatLongDate } from '#web/lib/text/format.ts';
import { toast } from '#web/lib/toast.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { Page } from '#web/ui/page.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { LoadingRows } from '#web/ui/states/loading-rows.tsx';
import { refreshTrash, trashQuery } from './trash-queries.ts';

/** Deleted conversations. */
export function TrashPage() {
  const query = useInfiniteQuery(trashQuery);
  const threads = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const count = query.data?.pages[0]?.count ?? 0;
  return (
    <Page
      title="Trash"
      lead={`Deleted conversations stay here for ${trashDays} days. After that they are deleted permanently.`}
      width="settings"
      action={count > 0 && <EmptyTrash count={count} />}
    >
      {query.isPending ? (
        <Card className="px-4">
          <LoadingRows label="Loading the trash" />
        </Card>
      ) : !query.data ? (
        <ErrorState
          title="The trash could not be loaded"
          message={errorText(query.error)}
          onRetry={() => void query.refetch()}
        />
      ) : threads.length === 0 ? (
        <EmptyState icon={Trash2} title="The trash is empty" text="Conversations that you delete appear here." />
      ) : (
        <>
          <ul
            aria-label="Deleted conversations"
            className="divide-y divide-border rounded-lg border border-border bg-card"
          >
            {threads.map((thread) => (
              <TrashRow key={thread.id} thread={thread} />
            ))}
          </ul>
          <LoadMore query={query} what="conversations" />
        </>
      )}
    </Page>
  );
}

/** Makes a call, then reads the trash and the lists again. */
function useTrashCall(work: () => Promise<unknown>, done: string, failed: string, description?: string) {
  const client = useQueryClient();
  return useMutation({
    networkMode: 'always',
    mutationFn: work,
    onSuccess: async () => {
      toast({ title: done, description });
      await Promise.all([refreshTrash(client), refreshLists(client)]);
    },
    onError: showFailure(failed),
  });
}

function TrashRow({ thread }: { thread: TrashedThread }) {
  const { id, title, archived, madeBy, deletedAt, endsAt } = thread;
  const [isAsking, setAsking] = useState(false);
  const params = { id };
  const restore = useTrashCall(
    () => call(trash.restore, { params }),
    'Conversation restored',
    'Failed to restore the conversation',
    title,
  );
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-48 flex-1">
        <p className="flex items-center gap-2">
          <span dir="auto" className="min-w-0 truncate font-medium" title={title}>
            {title}
          </span>
          {archived && <Badge>Archived</Badge>}
          {madeBy !== null && <Badge>{madeBy}</Badge>}
        </p>
        <p className="mt-0.5 text-muted-foreground text-sm">
          Deleted <RelativeTime date={deletedAt} /> · kept until {formatLongDate(endsAt)}
        </p>
      </div>
      <div className="flex gap-2">
        <Button size="sm" busy={restore.isPending} aria-label={`Restore ${title}`} onClick={() => restore.mutate()}>
          Restore
        </Button>
        <Button size="sm" variant="ghost" aria-label={`Delete permanently: ${title}`} onClick={() => setAsking(true)}>
          Delete permanently
        </Button>
      </div>
      {isAsking && <DeletePermanently thread={thread} onClose={() => setAsking(false)} />}
    </li>
  );
}

function DeletePermanently({ thread: { id, title }, onClose }: { thread: TrashedThread; onClose: () => void }) {
  const params = { id };
  const remove = useTrashCall(
    () => call(trash.remove, { params }),
    'Conversation deleted permanently',
    'Failed to delete the conversation',
    title,
  );
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Delete Permanently"
      description={
        <>
          Delete <strong className="font-medium text-foreground">{title}</strong> with all its messages? This cannot be
          undone.
        </>
      }
      confirmLabel="Delete"
      pendingLabel="Deleting..."
      busy={remove.isPending}
      destructive
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
    />
  );
}

function EmptyTrash({ count }: { count: number }) {
  const [isAsking, setAsking] = useState(false);
  const conversations = formatCount(count, 'conversation');
  const empty = useTrashCall(() => call(trash.empty, {}), 'The trash is empty', 'Failed to empty the trash');
  return (
    <>
      <Button icon={Trash2} onClick={() => setAsking(true)}>
        {`Empty trash (${count})`}
      </Button>
      {isAsking && (
        <ConfirmDialog
          open
          onOpenChange={setAsking}
          title="Empty Trash"
          description={`Delete ${conversations} permanently? This cannot be undone.`}
          confirmLabel="Empty trash"
          pendingLabel="Emptying..."
          busy={empty.isPending}
          destructive
          onConfirm={() => empty.mutate(undefined, { onSuccess: () => setAsking(false) })}
        />
      )}
    </>
  );
}
