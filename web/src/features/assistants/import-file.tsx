import type { ImportResult } from '@roster/contracts/assistants/assistants';
import { FileJson } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { useImportFile } from '#web/api/assistant-changes.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { FileInput } from '#web/ui/forms/file-input.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { showImportResult } from './import-result.tsx';

const largest = 5 * 1024 * 1024;

async function readJson(file: File): Promise<unknown> {
  if (file.size > largest) throw new Error('The file is larger than 5 MB.');
  const text = await file.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('The file is not valid JSON.', { cause });
  }
}

/** Reads a file and imports its assistants. `problem`: why the last one was not imported. */
function useFileImport(onImported: (result: ImportResult) => void) {
  const [problem, setProblem] = useState<string>();
  const importFile = useImportFile();
  const take = async (file: File | undefined) => {
    if (!file || importFile.isPending) return;
    setProblem(undefined);
    try {
      const result = await importFile.mutateAsync(await readJson(file));
      showImportResult(result);
      onImported(result);
    } catch (error) {
      setProblem(`${file.name}: ${errorText(error)}`);
      showFailure('Failed to import assistants')(error);
    }
  };
  return { take, isPending: importFile.isPending, problem };
}

/** Imports assistants from a file: an export of Roster, or a response of the retired Assistants API. */
export function ImportFile({ onImported }: { onImported: (result: ImportResult) => void }) {
  const { take, isPending, problem } = useFileImport(onImported);
  return (
    <Card>
      <CardHeader
        title="Import from a JSON file"
        description="One assistant or a list of them: exported from Roster, or as the provider’s retired Assistants API returned them."
      />
      <CardBody className="grid gap-4">
        <DropZone isPending={isPending} onFile={(file) => void take(file)} />
        {problem && (
          <Notice tone="destructive" live>
            {problem}
          </Notice>
        )}
      </CardBody>
    </Card>
  );
}

type DropZoneProps = { isPending: boolean; onFile: (file: File | undefined) => void };

function DropZone({ isPending, onFile }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const { mayEdit, reason } = useEditAccess();
  const drag = (event: DragEvent, isOver: boolean) => {
    if (!mayEdit) return;
    event.preventDefault();
    setOver(isOver);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra; the button does the same.
    <div
      onDragOver={(event) => drag(event, true)}
      onDragLeave={(event) => drag(event, false)}
      onDrop={(event) => {
        drag(event, false);
        if (mayEdit) onFile(event.dataTransfer.files[0]);
      }}
      className={classNames(
        'flex flex-wrap items-center gap-x-4 gap-y-3 rounded-md border border-dashed px-4 py-4 transition-colors duration-120',
        over ? 'border-primary bg-hover' : 'border-border-strong',
      )}
    >
      <FileJson aria-hidden className="size-5 text-muted-foreground" />
      <p className="min-w-48 flex-1 text-muted-foreground">Drop a file here, up to 5 MB</p>
      <Button
        busy={isPending}
        pendingLabel="Importing..."
        disabledReason={reason}
        onClick={() => input.current?.click()}
      >
        Choose File
      </Button>
      <FileInput
        ref={input}
        accept=".json,application/json"
        label="JSON file with assistants"
        onFiles={([file]) => onFile(file)}
      />
    </div>
  );
}
