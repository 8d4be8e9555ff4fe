import { chat, type Thread } from '@roster/contracts/chat';
import {
  Archive,
  ArchiveRestore,
  FileCode2,
  FileText,
  FolderInput,
  Pencil,
  Pin,
  PinOff,
  Search,
  Trash2,
} from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useUpdateThread } from '#web/features/chat/shared/mutations.ts';
import { urlOf } from '#web/lib/api-client.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Menu, MenuItem, MenuSeparator } from '#web/ui/menus/menu.tsx';

const MoveDialog = lazyPart(async () => (await import('#web/features/chat/projects/move-dialog.tsx')).MoveDialog);
const DeleteThreadDialog = lazyPart(async () => (await import('./delete-thread-dialog.tsx')).DeleteThreadDialog);

type ThreadMenuProps = {
  thread: Thread;
  trigger: ReactElement;
  onRename: () => void;
  /** undefined if the conversation is not open. */
  onFind?: () => void;
  onRemoved: (threadId: number) => unknown;
};

/** The server sends an attachment with a file name, so the page stays. */
function download(thread: Thread, format: 'md' | 'json') {
  const link = document.createElement('a');
  link.href = urlOf(chat.exportThread, { params: { id: thread.id }, query: { format } });
  link.download = '';
  link.click();
}

/** Menu of a conversation. */
export function ThreadMenu({ thread, trigger, onRename, onFind, onRemoved }: ThreadMenuProps) {
  const [asking, setAsking] = useState(false);
  const [isMoving, setMoving] = useState(false);
  const update = useUpdateThread();
  const change = (changes: { pinned?: boolean; archived?: boolean }, failure: string) =>
    update.mutate({ id: thread.id, changes }, { onError: showFailure(failure) });
  return (
    <>
      <Menu trigger={trigger}>
        {onFind && (
          <MenuItem icon={Search} onSelect={onFind}>
            Find in conversation
          </MenuItem>
        )}
        <MenuItem icon={Pencil} onSelect={onRename}>
          Rename
        </MenuItem>
        <MenuItem
          icon={thread.pinned ? PinOff : Pin}
          onSelect={() => change({ pinned: !thread.pinned }, 'Failed to update the conversation')}
        >
          {thread.pinned ? 'Unpin' : 'Pin'}
        </MenuItem>
        <MenuItem
          icon={thread.archived ? ArchiveRestore : Archive}
          onSelect={() => change({ archived: !thread.archived }, 'Failed to move the conversation')}
        >
          {thread.archived ? 'Unarchive' : 'Archive'}
        </MenuItem>
        <MenuItem icon={FolderInput} onSelect={() => setMoving(true)}>
          Move to project
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={FileText} onSelect={() => download(thread, 'md')}>
          Export as Markdown
        </MenuItem>
        <MenuItem icon={FileCode2} onSelect={() => download(thread, 'json')}>
          Export as JSON
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={Trash2} destructive onSelect={() => setAsking(true)}>
          Delete
        </MenuItem>
      </Menu>
      {isMoving && (
        <MoveDialog
          threads={[{ id: thread.id, projectId: thread.projectId ?? null }]}
          onClose={() => setMoving(false)}
        />
      )}
      {asking && <DeleteThreadDialog thread={thread} onOpenChange={setAsking} onRemoved={onRemoved} />}
    </>
  );
}
