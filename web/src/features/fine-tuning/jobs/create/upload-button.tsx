import type { File as StoredFile } from '@roster/contracts/files/files';
import { useMutation } from '@tanstack/react-query';
import { Upload, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useRefetchedFiles } from '#web/api/files.ts';
import { uploadLane } from '#web/api/uploads/queue.ts';
import { refusalReason, uploadRules } from '#web/api/uploads/rules.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { toastError } from '#web/lib/toast.ts';
import { Button } from '#web/ui/button.tsx';
import { FileInput } from '#web/ui/forms/file-input.tsx';

type UploadButtonProps = { label: string; onUploaded: (file: StoredFile) => void };

const failed = 'Upload failed';

/** Uploads one file; unmounting cancels it. */
function useTrainingUpload(onUploaded: (file: StoredFile) => void) {
  const abort = useRef<AbortController>(undefined);
  const [percent, setPercent] = useState(0);
  const [send] = useState(uploadLane);
  const refetch = useRefetchedFiles();
  const { mutate, isPending } = useMutation({
    mutationFn: async (file: File) => {
      const stopper = new AbortController();
      abort.current = stopper;
      const stored = await send({
        file,
        purpose: 'fine-tune',
        signal: stopper.signal,
        onProgress: (sent) => setPercent(Math.round((sent / file.size) * 100)),
      });
      // Wait until the list contains it.
      await refetch();
      return stored;
    },
  });
  useEffect(() => () => abort.current?.abort(), []);
  const start = (file: File) => {
    const reason = refusalReason(file, 'training');
    if (reason) return toastError({ title: failed, description: reason });
    setPercent(0);
    mutate(file, {
      onSuccess: onUploaded,
      onError: (error) => {
        if (!abort.current?.signal.aborted) showFailure(failed, uploadRules.training.failed)(error);
      },
    });
  };
  return { start, cancel: () => abort.current?.abort(), isPending, percent };
}

/** Uploads a file without leaving the form. */
export function UploadButton({ label, onUploaded }: UploadButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const { start, cancel, isPending, percent } = useTrainingUpload(onUploaded);
  return (
    <>
      {isPending ? (
        <Button
          icon={X}
          aria-label={`Cancel the upload, ${percent}% sent`}
          onClick={cancel}
          className="tabular-nums max-md:h-10"
        >
          {`${percent}%`}
        </Button>
      ) : (
        <Button icon={Upload} aria-label={label} onClick={() => input.current?.click()} className="max-md:h-10">
          Upload
        </Button>
      )}
      <FileInput
        ref={input}
        accept=".jsonl"
        label={label}
        onFiles={([file]) => {
          if (file) start(file);
        }}
      />
    </>
  );
}
