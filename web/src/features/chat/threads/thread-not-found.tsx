import { type TrashedThread, trash } from '@roster/contracts/trash';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { MessageSquareOff, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { refreshLists } from '#web/features/chat/shared/thread-cache.ts';
import { refreshTrash } from '#web/features/chat/trash/trash-queries.ts';
import { call } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatLongDate } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { PaneHeader } from './pane-header.tsx';

const trashedQuery = (id: number) =>
  queryOptions({
    queryKey: ['trash', id],
    queryFn: ({ signal }) => call(trash.find, { params: { id } }, signal),
    retry: false,
    gcTime: 0,
  });

type Props = { id: number; onBack: () => void; onRestored: () => Promise<unknown> };

/** In place of a conversation that was deleted, or that belongs to somebody else. */
export function ThreadNotFound({ id, onBack, onRestored }: Props) {
  const trashed = useQuery(trashedQuery(id));
  const back = <Button onClick={onBack}>Back to the conversations</Button>;
  return (
    <>
      <div className="md:hidden">
        <PaneHeader onBack={onBack} />
      </div>
      <div className="p-6">
        {trashed.data ? (
          <InTrash thread={trashed.data} back={back} onRestored={onRestored} />
        ) : (
          <EmptyState
            icon={MessageSquareOff}
            title="Conversation not found"
            text="It may have been deleted, or it belongs to another account."
            action={back}
          />
        )}
      </div>
    </>
  );
}

type InTrashProps = { thread: TrashedThread; back: ReactNode; onRestored: () => Promise<unknown> };

function InTrash({ thread: { id, title, endsAt }, back, onRestored }: InTrashProps) {
  const client = useQueryClient();
  const restore = useMutation({
    networkMode: 'always',
    mutationFn: () => call(trash.restore, { params: { id } }),
    onSuccess: () => Promise.all([onRestored(), refreshTrash(client), refreshLists(client)]),
    onError: showFailure('Failed to restore the conversation'),
  });
  return (
    <EmptyState
      icon={Trash2}
      title="This conversation is in the trash"
      text={`You have deleted “${title}”. It is kept until ${formatLongDate(endsAt)}.`}
      action={
        <>
          <Button variant="primary" busy={restore.isPending} onClick={() => restore.mutate()}>
            Restore
          </Button>
          {back}
        </>
      }
    />
  );
}
