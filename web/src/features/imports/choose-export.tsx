import { exportSizeLimit } from '@roster/contracts/imports';
import { FileArchive } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { errorText } from '#web/lib/api-client.ts';
import { formatMegabytes } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { FileInput } from '#web/ui/forms/file-input.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { ImportProgress } from './import-progress.tsx';
import { useUpload } from './queries.ts';

type Uploading = { name: string; size: number; sent: number; abort: AbortController };

function problemOf(file: File): string | undefined {
  if (file.size === 0) return 'The file is empty.';
  if (file.size > exportSizeLimit) return 'The file is larger than 2 GB.';
  return /\.(zip|json)$/i.test(file.name) ? undefined : 'Choose the ZIP archive or JSON file that you downloaded.';
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
      {uploading ? <UploadState {...uploading} /> : <DropZone onFile={(file) => void take(file)} />}
      {problem && (
        <Notice tone="destructive" live>
          <bdi>{problem}</bdi>
        </Notice>
      )}
    </>
  );
}

function UploadState({ name, size, sent, abort }: Uploading) {
  const share = size === 0 ? 0 : sent / size;
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
      <ImportProgress label={`Uploading ${name}`} share={share} />
    </div>
  );
}

function DropZone({ onFile }: { onFile: (file: File | undefined) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drag = (event: DragEvent, over: boolean) => {
    event.preventDefault();
    setOver(over);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra; the button does the same.
    <div
      onDragOver={(event) => drag(event, true)}
      onDragLeave={(event) => drag(event, false)}
      onDrop={(event) => {
        drag(event, false);
        onFile(event.dataTransfer.files[0]);
      }}
      className={classNames(
        'flex flex-wrap items-center gap-x-4 gap-y-3 rounded-md border border-dashed px-4 py-4 transition-colors duration-120',
        isOver ? 'border-primary bg-hover' : 'border-border-strong',
      )}
    >
      <FileArchive aria-hidden className="size-5 text-muted-foreground" />
      <p className="min-w-48 flex-1 text-muted-foreground">Drop a ZIP archive or JSON file here, up to 2 GB</p>
      <Button onClick={() => input.current?.click()}>Choose File</Button>
      <FileInput
        ref={input}
        accept=".zip,.json,application/zip,application/json"
        label="Export with conversations"
        onFiles={([file]) => onFile(file)}
      />
    </div>
  );
}
