import type { File as StoredFile } from '@roster/contracts/files';
import { useMutation } from '@tanstack/react-query';
import { Upload, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useRefetchedFiles } from '#web/data/files.ts';
import { uploadLane } from '#web/data/uploads/queue.ts';
import { refusals, whyRefused } from '#web/data/uploads/refusal.ts';
import { errorText } from '#web/lib/api.ts';
import { tellProblem } from '#web/lib/toast.ts';
import { Button } from '#web/ui/button.tsx';

type UploadButtonProps = { label: string; onUploaded: (file: StoredFile) => void };

const fail = (description: string) => tellProblem({ title: 'Upload failed', description });

/** Uploads one file without leaving the form. */
export function UploadButton({ label, onUploaded }: UploadButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const abort = useRef<AbortController>(undefined);
  const [percent, setPercent] = useState(0);
  const [send] = useState(uploadLane);
  const refetch = useRefetchedFiles();
  const upload = useMutation({
    mutationFn: async (file: File) => {
      const stopper = new AbortController();
      abort.current = stopper;
      const stored = await send({
        file,
        purpose: 'fine-tune',
        signal: stopper.signal,
        onProgress: (sent) => setPercent(Math.round((sent / file.size) * 100)),
      });
      // It can be chosen once the list has it.
      await refetch();
      return stored;
    },
  });
  useEffect(() => () => abort.current?.abort(), []);
  const start = (file: File) => {
    const reason = whyRefused(file, 'training');
    if (reason) return fail(reason);
    setPercent(0);
    upload.mutate(file, {
      onSuccess: onUploaded,
      onError: (error) => {
        if (!abort.current?.signal.aborted) fail(errorText(error, refusals.training.failed));
      },
    });
  };
  return (
    <>
      {upload.isPending ? (
        <Button
          icon={X}
          aria-label={`Cancel the upload, ${percent}% sent`}
          onClick={() => abort.current?.abort()}
          className="tabular-nums max-md:h-10"
        >
          {`${percent}%`}
        </Button>
      ) : (
        <Button icon={Upload} aria-label={label} onClick={() => input.current?.click()} className="max-md:h-10">
          Upload
        </Button>
      )}
      <input
        ref={input}
        type="file"
        accept=".jsonl"
        hidden
        aria-label={label}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file) start(file);
          // So that the same file can be chosen again.
          currentTarget.value = '';
        }}
      />
    </>
  );
}
