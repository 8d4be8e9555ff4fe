import type { File } from '@roster/contracts/files';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Files, SearchX, Upload } from 'lucide-react';
import { useState } from 'react';
import { useEditing } from '#web/data/current-user.ts';
import { type FilesView, filesQuery } from '#web/data/files.ts';
import { errorText } from '#web/lib/api.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { DeleteFilesDialog } from './delete-files-dialog.tsx';
import { FileTable } from './file-table.tsx';
import { FilesToolbar } from './files-toolbar.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { useForwardingWatch } from './use-forwarding-watch.ts';

const everything: FilesView = { q: '', sort: 'newest', purpose: null };

export function FileList({ onUpload }: { onUpload: () => void }) {
  const [view, setView] = useState(everything);
  const query = useInfiniteQuery(filesQuery(view));
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [deleting, setDeleting] = useState<readonly File[]>([]);
  const [preview, setPreview] = useState<File | null>(null);
  const { mayEdit, reason } = useEditing();

  const files = uniqueFiles(query.data?.pages.flatMap(({ items }) => items) ?? []);
  useForwardingWatch(view, files);
  const chosen = files.filter(({ id }) => selected.has(id));
  const isNarrowed = view.q !== '' || view.purpose !== null;
  const isEmpty = query.isSuccess && !query.isPlaceholderData && files.length === 0;

  const select = (ids: readonly number[], isSelected: boolean) =>
    setSelected((before) => {
      const next = new Set(before);
      for (const id of ids) isSelected ? next.add(id) : next.delete(id);
      return next;
    });
  const selectAll = (isSelected: boolean) =>
    select(
      files.map(({ id }) => id),
      isSelected,
    );
  if (query.isError && files.length === 0 && !isNarrowed) {
    return (
      <ErrorState
        title="Failed to load files"
        message={errorText(query.error, 'An error occurred while loading your files.')}
        busy={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (isEmpty && !isNarrowed) {
    return (
      <EmptyState
        icon={Files}
        text="No files uploaded yet"
        action={
          <Button icon={Upload} disabledReason={reason} onClick={onUpload}>
            Upload Files
          </Button>
        }
      />
    );
  }
  return (
    <section aria-label="Uploaded files">
      <FilesToolbar view={view} onViewChange={setView} />
      {mayEdit && files.length > 0 ? (
        <SelectionBar files={files} chosen={chosen} onSelectAll={selectAll} onDelete={() => setDeleting(chosen)} />
      ) : (
        <div className="mt-3" />
      )}
      {query.isError && files.length === 0 ? (
        <ErrorState
          title="Failed to load files"
          message={errorText(query.error, 'An error occurred while loading your files.')}
          busy={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      ) : isEmpty ? (
        <EmptyState
          icon={SearchX}
          text={view.q === '' ? 'No files with this purpose.' : `No filename contains “${view.q}”.`}
          action={<Button onClick={() => setView({ ...everything, sort: view.sort })}>Show All Files</Button>}
        />
      ) : (
        <FileTable
          files={files}
          selected={selected}
          onSelect={(id, isSelected) => select([id], isSelected)}
          onPreview={setPreview}
          onDelete={(file) => setDeleting([file])}
          isLoading={query.isPending}
          isStale={query.isPlaceholderData}
        />
      )}
      <LoadMore query={query} what="files" />
      {preview && <PreviewPanel file={preview} onClose={() => setPreview(null)} />}
      {deleting.length > 0 && (
        <DeleteFilesDialog
          files={deleting}
          onClose={() => setDeleting([])}
          onDeleted={() =>
            select(
              deleting.map(({ id }) => id),
              false,
            )
          }
        />
      )}
    </section>
  );
}

/** Pages that were read at different times may overlap. */
function uniqueFiles(files: readonly File[]): File[] {
  return [...new Map(files.map((file) => [file.id, file])).values()];
}
