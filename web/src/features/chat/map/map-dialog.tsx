import type { Message } from '@roster/contracts/chat';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { loadOlder } from '#web/features/chat/shared/thread-cache.ts';
import { messagesQuery } from '#web/features/chat/shared/thread-queries.ts';
import type { OpenThread } from '#web/features/chat/shared/thread-state.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { headingsOf } from './headings.ts';
import { jumpTo } from './jump.ts';

type MapDialogProps = { open: OpenThread; onClose: () => void };
type Jump = (messageId: number, heading?: string) => void;

/** The questions and headings of the loaded messages, to jump by. */
export function MapDialog({ open, onClose }: MapDialogProps) {
  const { data: window } = useQuery({ ...messagesQuery(open.threadId), enabled: false });
  const jump: Jump = (...to) => {
    onClose();
    // The dialog gives its focus back first, which may scroll.
    requestAnimationFrame(() => jumpTo(open, ...to));
  };
  return (
    <Dialog open onOpenChange={onClose} title="Questions and headings">
      {window?.olderCursor && <LoadEarlier open={open} />}
      <ol aria-label="Questions and headings" className="flex flex-col">
        {window?.items.map((message) => (
          <Entry key={message.id} message={message} jump={jump} />
        ))}
      </ol>
    </Dialog>
  );
}

function LoadEarlier({ open: { client, threadId } }: { open: OpenThread }) {
  const [isLoading, setLoading] = useState(false);
  const load = () => {
    setLoading(true);
    loadOlder(client, threadId)
      .catch(showFailure('Failed to load earlier messages', 'An error occurred. Please try again.'))
      .finally(() => setLoading(false));
  };
  return (
    <Button size="sm" busy={isLoading} onClick={load} className="mb-3 max-md:h-10">
      Load earlier messages
    </Button>
  );
}

const entryClass =
  'block w-full truncate rounded-md px-2 py-1.5 text-start hover:bg-hover focus-visible:-outline-offset-2 max-md:min-h-10';

function Entry({ message: { id, role, text, files }, jump }: { message: Message; jump: Jump }) {
  if (role === 'user')
    return (
      <li>
        <button type="button" dir="auto" className={`${entryClass} font-medium`} onClick={() => jump(id)}>
          {text.trim().slice(0, 200) || files[0]?.filename || 'Question without text'}
        </button>
      </li>
    );
  // A heading that an answer repeats is listed once: the jump goes to the first.
  return [...new Set(headingsOf(text))].map((heading) => (
    <li key={heading} className="ps-4">
      <button
        type="button"
        dir="auto"
        className={`${entryClass} text-muted-foreground`}
        onClick={() => jump(id, heading)}
      >
        {heading}
      </button>
    </li>
  ));
}
