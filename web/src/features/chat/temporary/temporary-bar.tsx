import { temporaryThreads } from '@roster/contracts/temporary-threads';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { composerAt } from '#web/features/chat/shared/composer-state.ts';
import { leaveRemoved, useRemoveThread } from '#web/features/chat/shared/mutations.ts';
import { refreshLists, showThread } from '#web/features/chat/shared/thread-cache.ts';
import { call } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { toast } from '#web/lib/toast.ts';
import { Button } from '#web/ui/button.tsx';
import { TemporaryNotice } from './temporary-notice.tsx';
import { usePresence } from './use-presence.ts';

type TemporaryBarProps = { threadId: number; onClosed: () => unknown };

/** Marks an open temporary conversation; keeps or closes it. */
export function TemporaryBar({ threadId, onClosed }: TemporaryBarProps) {
  const client = useQueryClient();
  const isOver = useRef(false);
  usePresence(threadId, isOver);
  const remove = useRemoveThread();
  const keep = useMutation({
    networkMode: 'always',
    mutationFn: () => call(temporaryThreads.keep, { params: { id: threadId } }),
    onSuccess: (thread) => {
      isOver.current = true;
      showThread(client, thread);
      void refreshLists(client);
      toast({ title: 'Chat kept', description: 'It is in your list of conversations now.' });
    },
    onError: showFailure('Failed to keep the chat'),
  });
  const close = () =>
    remove.mutate(threadId, {
      onSuccess: () => {
        isOver.current = true;
        composerAt(`chat:${threadId}`).set({ text: '', attachments: [] });
        leaveRemoved(client, threadId, onClosed()).catch(reportError);
      },
      onError: showFailure('Failed to close the chat'),
    });
  return (
    <TemporaryNotice>
      <Button size="sm" busy={keep.isPending} onClick={() => keep.mutate()} className="max-md:h-10">
        Keep this chat
      </Button>
      <Button size="sm" variant="ghost" busy={remove.isPending} onClick={close} className="max-md:h-10">
        Close
      </Button>
    </TemporaryNotice>
  );
}
