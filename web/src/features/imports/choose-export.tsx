import { exportSizeLimit } from '@roster/contracts/imports';
import { FileArchive } from 'lucide-react';
import { useState } from 'react';
import { errorText } from '#web/lib/api-client.ts';
import { formatMegabytes } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { FileDrop } from '#web/ui/forms/file-drop.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { useUpload } from './queries.ts';

type Uploading = { name: string; size: number; sent: number; abort: AbortController };

function problemOf(file: File): string | undefined {
  if (file.size === 0) return 'The file is empty.';
  if (file.size > exportSizeLimit)
    return 'The file is larger than 2 GB. Request a smaller export, for example without media.';
  return /\.(zip|json|html)$/i.test(file.name) ? undefined : 'Choose the ZIP archive or JSON file that you downloaded.';
}

function useExportUpload(onUploaded: (id: number) => void) {
  const [uploading, setUploading] = useState<Uploading>();
  const [problem, setProblem] = useState<string>();
  const upload = useUpload();
  const take = async (file: File | undefined) => {
    if (!file || uploading) return;
    const refused = problemOf(file);
    setProblem(refused && `${file.name}: ${refused}`);
    if (refused) return;
    const abort = new AbortController();
    setUploading({ name: file.name, size: file.size, sent: 0, abort });
    try {
      const onProgress = (sent: number) => setUploading((before) => before && { ...before, sent });
      onUploaded((await upload.mutateAsync({ file, signal: abort.signal, onProgress })).id);
    } catch (error) {
      if (!abort.signal.aborted) setProblem(`${file.name}: ${errorText(error)}`);
    } finally {
      setUploading(undefined);
    }
  };
  return { take, uploading, problem };
}

/** The first step: the file of the export. */
export function ChooseExport({ onUploaded }: { onUploaded: (id: number) => void }) {
  const { take, uploading, problem } = useExportUpload(onUploaded);
  return (
    <>
      {uploading ? (
        <UploadState {...uploading} />
      ) : (
        <FileDrop
          icon={FileArchive}
          text="Drop a ZIP archive or JSON file here, up to 2 GB"
          label="Export with conversations"
          accept=".zip,.json,.html,application/zip,application/json,text/html"
          onFile={(file) => void take(file)}
        />
      )}
      {problem && (
        <Notice tone="destructive" live>
          <bdi>{problem}</bdi>
        </Notice>
      )}
    </>
  );
}

function UploadState({ name, size, sent, abort }: Uploading) {
  return (
    <div className="grid gap-3 rounded-md border border-border p-4">
      <div className="flex flex-wrap items-center gap-3">
        <p className="wrap-anywhere min-w-0 flex-1">
          Uploading <bdi className="font-medium">{name}</bdi>{' '}
          <span className="text-muted-foreground tabular-nums">
            {formatMegabytes(sent)} of {formatMegabytes(size)}
          </span>
        </p>
        <Button size="sm" onClick={() => abort.abort(new DOMException('Canceled', 'AbortError'))}>
          Cancel
        </Button>
      </div>
      <ProgressBar label={`Uploading ${name}`} percent={(sent / size) * 100} className="h-1.5" />
    </div>
  );
}
