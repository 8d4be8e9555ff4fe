import type { File } from '@roster/contracts/files/files';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Files, SearchX, Upload } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { useFilePreview } from '#web/api/file-preview.ts';
import { type FilesView, fileAddress, filesQuery } from '#web/api/files.ts';
import { PreviewPanel } from '#web/components/preview-panel.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { formatDateTime, formatMegabytes } from '#web/lib/text/format.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { Button } from '#web/ui/button.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { DeleteFilesDialog } from './delete-files-dialog.tsx';
import { FileTable } from './file-table.tsx';
import { FilesToolbar } from './files-toolbar.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { usePollForwarding } from './use-poll-forwarding.ts';

/** Selection among the shown files. */
function useSelection(files: readonly File[]) {
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const select = useCallback(
    (ids: readonly number[], isSelected: boolean) =>
      setSelected((before) => {
        const next = new Set(before);
        for (const id of ids) {
          if (isSelected) next.add(id);
          else next.delete(id);
        }
        return next;
      }),
    [],
  );
  return { selected, chosen: files.filter(({ id }) => selected.has(id)), select };
}

function FilePreview({ file, onClose }: { file: File; onClose: () => void }) {
  const { id, filename, size, date } = file;
  return (
    <PreviewPanel
      filename={filename}
      description={`${formatMegabytes(size)}, uploaded ${formatDateTime(date)}`}
      address={fileAddress(id)}
      query={useFilePreview(id, filename)}
      onClose={onClose}
    />
  );
}

const idsOf = (files: readonly File[]) => files.map(({ id }) => id);
const isNarrowed = ({ q, purpose }: FilesView) => q !== '' || purpose !== null;

type FileListProps = { view: FilesView; onViewChange: (view: FilesView) => void; onUpload: () => void };

export function FileList({ view, onViewChange, onUpload }: FileListProps) {
  const { query, files, isEmpty, hasFailed } = useFiles(view);
  const { selected, chosen, select } = useSelection(files);
  const [deleting, setDeleting] = useState<readonly File[]>([]);
  const [preview, setPreview] = useState<File | null>(null);
  const { mayEdit } = useEditAccess();
  const selectOne = useCallback((id: number, isSelected: boolean) => select([id], isSelected), [select]);
  const deleteOne = useCallback((file: File) => setDeleting([file]), []);

  const instead = hasFailed ? (
    <FailedFiles query={query} />
  ) : isEmpty ? (
    <NoFiles view={view} onViewChange={onViewChange} onUpload={onUpload} />
  ) : null;
  if (instead && !isNarrowed(view)) return instead;
  return (
    <section aria-label="Uploaded files">
      <FilesToolbar view={view} onViewChange={onViewChange} />
      <SelectionBar
        isShown={mayEdit && !instead}
        files={files}
        chosen={chosen}
        onSelectAll={(isSelected) => select(idsOf(files), isSelected)}
        onDelete={() => setDeleting(chosen)}
      />
      {instead ?? (
        <FileTable
          files={files}
          selected={selected}
          onSelect={selectOne}
          onPreview={setPreview}
          onDelete={deleteOne}
          isLoading={query.isPending}
          isStale={query.isPlaceholderData}
        />
      )}
      <LoadMore query={query} what="files" />
      {preview && <FilePreview file={preview} onClose={() => setPreview(null)} />}
      {deleting.length > 0 && (
        <DeleteFilesDialog
          files={deleting}
          onClose={() => setDeleting([])}
          onDeleted={() => select(idsOf(deleting), false)}
        />
      )}
    </section>
  );
}

function useFiles(view: FilesView) {
  const query = useInfiniteQuery(filesQuery(view));
  const files = useMemo(() => (query.data ? allItems(query.data) : []), [query.data]);
  usePollForwarding(view, files);
  return {
    query,
    files,
    isEmpty: query.isSuccess && !query.isPlaceholderData && files.length === 0,
    hasFailed: query.isError && files.length === 0,
  };
}

function FailedFiles({ query }: Pick<ReturnType<typeof useFiles>, 'query'>) {
  return (
    <ErrorState
      title="Failed to load files"
      message={errorText(query.error, 'An error occurred while loading your files.')}
      busy={query.isFetching}
      onRetry={() => void query.refetch()}
    />
  );
}

/** Empty list, or no matches. */
function NoFiles({ view, onViewChange, onUpload }: FileListProps) {
  const { reason } = useEditAccess();
  if (isNarrowed(view))
    return (
      <EmptyState
        icon={SearchX}
        text={view.q === '' ? 'No files with this purpose.' : `No filename contains “${view.q}”.`}
        action={<Button onClick={() => onViewChange({ ...view, q: '', purpose: null })}>Show All Files</Button>}
      />
    );
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
