import { useQuery } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { type FilesView, filesSummaryQuery } from '#web/api/files.ts';
import { errorText } from '#web/lib/api-client.ts';
import { formatMegabytes, formatNumber } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { KeyFigures, KeyFiguresError } from '#web/ui/charts/key-figures.tsx';
import { Page } from '#web/ui/page.tsx';
import { FileList } from './file-list.tsx';
import { PendingRemovals } from './pending-removals.tsx';
import { UploadDialog } from './upload-dialog.tsx';
import { useFileDrop } from './use-file-drop.ts';

function Overview() {
  const { data, error, isFetching, refetch } = useQuery(filesSummaryQuery);
  if (error && !data) {
    const message = errorText(error, 'Failed to load statistics.');
    return <KeyFiguresError message={message} isTrying={isFetching} onTryAgain={() => void refetch()} />;
  }
  return (
    <KeyFigures
      className="grid-cols-3 max-sm:grid-cols-2"
      figures={[
        ['Total Files', data && formatNumber(data.totalFiles)],
        ['Storage Used', data && (data.storageUsedBytes === 0 ? '0 MB' : formatMegabytes(data.storageUsedBytes))],
        ['Files Used by AI', data && formatNumber(data.filesUsedByAi)],
      ]}
    />
  );
}

type FilesPageProps = {
  view: FilesView;
  onViewChange: (view: FilesView) => void;
  /** Opens the upload dialog at once. */
  isUploading: boolean;
  onUploadEnd: () => void;
};

export function FilesPage({ view, onViewChange, isUploading, onUploadEnd }: FilesPageProps) {
  /** Dropped files; null while no upload dialog is open. */
  const [uploading, setUploading] = useState<readonly File[] | null>(isUploading ? [] : null);
  const { mayEdit, reason } = useEditAccess();
  const drop = useCallback((files: File[]) => setUploading((before) => before ?? files), []);
  const isOver = useFileDrop(mayEdit && uploading === null ? drop : undefined);
  const open = () => setUploading([]);
  const close = () => {
    setUploading(null);
    if (isUploading) onUploadEnd();
  };
  return (
    <Page
      title="File Management"
      lead="Upload and organize files for your assistants."
      action={
        <Button variant="primary" icon={Upload} disabledReason={reason} onClick={open}>
          Upload Files
        </Button>
      }
    >
      <Overview />
      <PendingRemovals />
      <div className="mt-6">
        <FileList view={view} onViewChange={onViewChange} onUpload={open} />
      </div>
      {isOver && (
        <div className="pointer-events-none fixed inset-0 z-40 flex items-center justify-center bg-overlay">
          <p className="rounded-lg border border-primary border-dashed bg-popover px-8 py-6 font-medium text-lg shadow-float">
            Drop files to upload them
          </p>
        </div>
      )}
      {uploading && <UploadDialog files={uploading} onClose={close} />}
    </Page>
  );
}
