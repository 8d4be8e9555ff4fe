import { useBlocker } from '@tanstack/react-router';
import { Upload as UploadIcon } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useRefetchedFiles } from '#web/api/files.ts';
import { uploadLane } from '#web/api/uploads/queue.ts';
import { uploadRules } from '#web/api/uploads/rules.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { useStore } from '#web/lib/store.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { toastError } from '#web/lib/toast.ts';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { FileInput } from '#web/ui/forms/file-input.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { suggestPurpose } from './purposes.ts';
import { canRetry, createUploadList, type ListedUpload, type UploadList, type UploadSummary } from './upload-list.ts';
import { UploadRow } from './upload-row.tsx';
import { useFileDrop } from './use-file-drop.ts';

/** Milliseconds, so that completion is visible. */
const closeAfter = 500;

/** `files`: dropped on the page before. */
export function UploadDialog({ files, onClose }: { files: readonly File[]; onClose: () => void }) {
  const list = useUploadList(files, onClose);
  const { uploads, isRunning } = useStore(list);
  const stop = useStopQuestion(list, isRunning, onClose);
  const hasWaiting = uploads.some(({ state }) => state === 'waiting');
  const retriesAll = !hasWaiting && !isRunning && uploads.some(canRetry);
  const start = () => {
    if (retriesAll) list.retryAll();
    else if (hasWaiting) list.start();
    else
      toastError({
        title: 'No files selected',
        description: 'Please select at least one file to upload',
      });
  };
  return (
    <Dialog
      open
      onOpenChange={stop.close}
      size="lg"
      title="Upload Files"
      description="Maximum 50MB per file. Recommended: PDF, text, CSV, JSONL and code files."
      footer={
        <>
          <TotalProgress uploads={uploads} isRunning={isRunning} />
          <Button onClick={stop.close}>{uploads.some(({ state }) => state === 'done') ? 'Close' : 'Cancel'}</Button>
          <Button variant="primary" busy={isRunning} pendingLabel="Uploading..." onClick={start}>
            {retriesAll ? 'Retry All' : 'Upload'}
          </Button>
        </>
      }
    >
      <DropZone onFiles={(added) => void list.add(added)} />
      {uploads.length > 0 && (
        <ul aria-label="Files to upload" className="mt-4 divide-y divide-border rounded-md border border-border">
          {uploads.map((upload) => (
            <UploadRow key={upload.key} upload={upload} list={list} />
          ))}
        </ul>
      )}
      {stop.question}
    </Dialog>
  );
}

/** State of the dialog's uploads, starting with `files`. Unmounting cancels those still running. */
function useUploadList(files: readonly File[], onClose: () => void): UploadList {
  const [ended, setEnded] = useState<UploadSummary>();
  const [list] = useState(() => {
    const created = createUploadList({ send: uploadLane(), suggest: suggestPurpose, onEnd: setEnded });
    void created.add(files);
    return created;
  });
  useEffect(() => () => list.cancelAll(), [list]);
  useEndOfUploads(ended, list, onClose);
  return list;
}

/** Closes the dialog; confirms first, also before the page is left, while uploads are running. */
function useStopQuestion(list: UploadList, isRunning: boolean, onClose: () => void) {
  const [isAsking, setAsking] = useState(false);
  const blocker = useBlocker({ shouldBlockFn: () => isRunning, enableBeforeUnload: isRunning, withResolver: true });
  const isBlocked = blocker.status === 'blocked';
  const question = (
    <ConfirmDialog
      open={isRunning && (isAsking || isBlocked)}
      onOpenChange={() => {
        setAsking(false);
        if (isBlocked) blocker.reset();
      }}
      title="Stop uploading?"
      description="Files not uploaded yet are skipped. Uploaded files are kept."
      cancelLabel="Keep uploading"
      confirmLabel="Stop uploading"
      destructive
      onConfirm={() => {
        list.cancelAll();
        if (isBlocked) blocker.proceed();
        else onClose();
      }}
    />
  );
  return { close: () => (isRunning ? setAsking(true) : onClose()), question };
}

/** Reports the result, refreshes the list, and closes if nothing is left to do. */
function useEndOfUploads(ended: UploadSummary | undefined, list: UploadList, onClose: () => void) {
  const refetch = useRefetchedFiles();
  const latest = useRef({ refetch, onClose });
  useEffect(() => {
    latest.current = { refetch, onClose };
  });
  useEffect(() => {
    if (!ended) return;
    const { done, failures } = ended;
    const [failure] = failures;
    if (done > 0)
      toast({
        title: 'Upload successful',
        description: `${formatCount(done, 'file')} uploaded, ${failures.length} failed.`,
      });
    else if (failure) showFailure('Upload failed', uploadRules.files.failed)(failure);
    const timer = setTimeout(() => {
      // A file may be uploading again, which closing would cancel.
      if (done > 0 && failures.length === 0 && !list.get().isRunning) latest.current.onClose();
      void latest.current.refetch();
    }, closeAfter);
    return () => clearTimeout(timer);
  }, [ended, list]);
}

function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const isOver = useFileDrop(onFiles);
  return (
    <div
      className={classNames(
        'flex flex-col items-center gap-3 rounded-md border border-dashed px-4 py-6 text-center transition-colors duration-120',
        isOver ? 'border-primary bg-hover' : 'border-border-strong',
      )}
    >
      <UploadIcon aria-hidden className="size-5 text-muted-foreground" />
      <p className="text-muted-foreground">{isOver ? 'Drop the files here' : 'Drag and drop files here, or'}</p>
      <Button onClick={() => input.current?.click()}>Browse Files</Button>
      <FileInput ref={input} multiple label="Files to upload" onFiles={onFiles} />
    </div>
  );
}

function TotalProgress({ uploads, isRunning }: { uploads: readonly ListedUpload[]; isRunning: boolean }) {
  const total = uploads.filter(({ state }) => state !== 'refused' && state !== 'cancelled').length;
  const done = uploads.filter(({ state }) => state === 'done').length;
  const isShown = total > 0 && (isRunning || done > 0);
  const percent = total === 0 ? 0 : Math.round((done / total) * 100);
  return (
    <output className="me-auto block w-64 min-w-0 text-muted-foreground text-sm tabular-nums max-sm:w-full">
      {isShown && (
        <>
          {`${done} of ${formatCount(total, 'file')} uploaded, ${percent}%`}
          <ProgressBar label="All uploads" percent={percent} className="mt-1.5" />
        </>
      )}
    </output>
  );
}
