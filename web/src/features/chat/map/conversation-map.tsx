import { useQuery } from '@tanstack/react-query';
import { ListTree } from 'lucide-react';
import { useState } from 'react';
import type { MessageWindow } from '#web/features/chat/shared/message-window.ts';
import { messagesQuery } from '#web/features/chat/shared/thread-queries.ts';
import type { OpenThread } from '#web/features/chat/shared/thread-state.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { IconButton } from '#web/ui/icon-button.tsx';

const MapDialog = lazyPart(async () => (await import('./map-dialog.tsx')).MapDialog);

const isLong = ({ items, olderCursor, newerCursor }: MessageWindow) =>
  items.length >= 10 || olderCursor !== null || newerCursor !== null;

/** Opens the map of a conversation from 10 messages on. */
export function ConversationMap({ open }: { open: OpenThread }) {
  const { data: shown } = useQuery({ ...messagesQuery(open.threadId), enabled: false, select: isLong });
  const [isOpen, setOpen] = useState(false);
  if (!shown && !isOpen) return null;
  return (
    <>
      <IconButton
        label="Questions and headings"
        icon={ListTree}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className="max-md:size-10"
      />
      {isOpen && <MapDialog open={open} onClose={() => setOpen(false)} />}
    </>
  );
}
