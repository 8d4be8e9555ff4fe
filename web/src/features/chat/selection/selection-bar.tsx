import { chat, type Thread } from '@roster/contracts/chat';
import { type BulkAction, bulkLimit, trashDays } from '@roster/contracts/trash';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Archive, ArchiveRestore, Download, FolderInput, Trash2, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ThreadView } from '#web/features/chat/shared/queries.ts';
import { forgetThread } from '#web/features/chat/shared/thread-cache.ts';
import { changeThreads } from '#web/features/chat/trash/trash-queries.ts';
import { callForBytes } from '#web/lib/api-client.ts';
import { saveText } from '#web/lib/download.ts';
import { isImeKey } from '#web/lib/keyboard/enter-key.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCount, formatNumber } from '#web/lib/text/format.ts';
import { toast } from '#web/lib/toast.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { clearSelection, useSelection } from './selection.ts';

const MoveDialog = lazyPart(async () => (await import('#web/features/chat/projects/move-dialog.tsx')).MoveDialog);

const exportLimit = 100;
const done = { archive: 'archived', unarchive: 'moved out of the archive', delete: 'deleted', restore: 'restored' };
const undoing: Record<BulkAction, BulkAction> = {
  archive: 'unarchive',
  unarchive: 'archive',
  delete: 'restore',
  restore: 'delete',
};

/** Escape ends the selection, before it stops an answer. */
function useEscape() {
  useEffect(() => {
    const keyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || isImeKey(event)) return;
      if (document.querySelector('[aria-modal="true"], [role="menu"]')) return;
      event.preventDefault();
      event.stopPropagation();
      clearSelection();
    };
    document.addEventListener('keydown', keyDown, true);
    return () => document.removeEventListener('keydown', keyDown, true);
  }, []);
}

/** One document with each conversation as its own export has it. */
async function exportAll(ids: readonly number[]) {
  const texts: string[] = [];
  for (const id of ids) {
    const response = await callForBytes(chat.exportThread, { params: { id }, query: { format: 'json' } });
    texts.push((await response.text()).trim());
  }
  saveText('conversations.json', `[\n${texts.join(',\n')}\n]\n`, 'application/json');
}

type SelectionBarProps = {
  view: ThreadView;
  threads: readonly Thread[];
  openThreadId: number | undefined;
  onRemoved: (threadId: number) => unknown;
};

/** Changes the selected conversations together, with an Undo. */
function useChange(ids: readonly number[], { openThreadId, onRemoved }: Omit<SelectionBarProps, 'view' | 'threads'>) {
  const client = useQueryClient();
  const mutationFn = async (action: BulkAction) => {
    const { changed, missing } = await changeThreads(client, action, ids);
    clearSelection();
    if (action === 'delete') {
      if (openThreadId !== undefined && changed.includes(openThreadId)) await onRemoved(openThreadId);
      for (const id of changed) forgetThread(client, id);
    }
    const gone = missing.length > 0 ? `${formatCount(missing.length, 'conversation')} no longer existed.` : undefined;
    const undo = () => void changeThreads(client, undoing[action], changed).catch(showFailure('Failed to undo'));
    toast({
      title: `${formatCount(changed.length, 'conversation')} ${done[action]}`,
      description: gone,
      ...(changed.length > 0 && { action: { label: 'Undo', onSelect: undo } }),
    });
  };
  return useMutation({ networkMode: 'always', mutationFn, onError: showFailure('Failed to change the conversations') });
}

const limited = (label: string, count: number, limit: number) =>
  count > limit ? `${label} (at most ${limit} at once)` : label;

/** The actions on the selected conversations. */
export function SelectionBar({ view, threads, ...opened }: SelectionBarProps) {
  const ids = [...useSelection()];
  const [isAsking, setAsking] = useState(false);
  useEscape();
  const change = useChange(ids, opened);
  return (
    <div
      role="toolbar"
      aria-label="Selected conversations"
      className="mx-2 mb-1 flex h-10 shrink-0 items-center gap-0.5 rounded-md bg-active ps-3 pe-1 max-md:h-12"
    >
      <output className="min-w-0 flex-1 truncate font-medium text-sm">{`${formatNumber(ids.length)} selected`}</output>
      <ArchiveButton view={view} count={ids.length} change={change} />
      <MoveButton threads={threads.filter(({ id }) => ids.includes(id))} />
      <ExportButton ids={ids} />
      <IconButton
        label={limited('Delete', ids.length, bulkLimit)}
        icon={Trash2}
        size="sm"
        disabled={ids.length > bulkLimit}
        onClick={() => setAsking(true)}
        className="max-md:size-10"
      />
      <IconButton
        label="End selection"
        tooltip="End selection (Esc)"
        icon={X}
        size="sm"
        onClick={clearSelection}
        className="max-md:size-10"
      />
      {isAsking && (
        <ConfirmDialog
          open
          onOpenChange={setAsking}
          title={`Delete ${formatCount(ids.length, 'Conversation')}`}
          description={`Delete ${formatCount(ids.length, 'conversation')} with all messages? You can restore them from the trash for ${trashDays} days.`}
          confirmLabel="Delete"
          pendingLabel="Deleting..."
          busy={change.isPending}
          destructive
          onConfirm={() => change.mutate('delete', { onSettled: () => setAsking(false) })}
        />
      )}
    </div>
  );
}

type ArchiveButtonProps = { view: ThreadView; count: number; change: ReturnType<typeof useChange> };

function ArchiveButton({ view, count, change }: ArchiveButtonProps) {
  const action = view === 'archived' ? 'unarchive' : 'archive';
  return (
    <IconButton
      label={limited(action === 'archive' ? 'Archive' : 'Unarchive', count, bulkLimit)}
      icon={action === 'archive' ? Archive : ArchiveRestore}
      size="sm"
      disabled={count > bulkLimit}
      busy={change.isPending && change.variables === action}
      onClick={() => change.mutate(action)}
      className="max-md:size-10"
    />
  );
}

function MoveButton({ threads }: { threads: readonly Thread[] }) {
  const [isOpen, setOpen] = useState(false);
  const count = threads.length;
  return (
    <>
      <IconButton
        label={limited('Move to project', count, bulkLimit)}
        icon={FolderInput}
        size="sm"
        disabled={count > bulkLimit}
        onClick={() => setOpen(true)}
        className="max-md:size-10"
      />
      {isOpen && (
        <MoveDialog
          threads={threads.map(({ id, projectId = null }) => ({ id, projectId }))}
          onClose={() => setOpen(false)}
          onMoved={clearSelection}
        />
      )}
    </>
  );
}

function ExportButton({ ids }: { ids: readonly number[] }) {
  const download = useMutation({
    networkMode: 'always',
    mutationFn: () => exportAll(ids),
    onError: showFailure('Failed to export the conversations'),
  });
  return (
    <IconButton
      label={limited('Export as JSON', ids.length, exportLimit)}
      icon={Download}
      size="sm"
      disabled={ids.length > exportLimit}
      busy={download.isPending}
      onClick={() => download.mutate()}
      className="max-md:size-10"
    />
  );
}
