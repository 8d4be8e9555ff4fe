import type { FileImportResult, ImportResult } from '@roster/contracts/assistants/assistants';
import { FileJson } from 'lucide-react';
import { useState } from 'react';
import { useImportFile, usePreviewImportFile } from '#web/api/assistant-changes.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCount, formatNumber } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { FileDrop } from '#web/ui/forms/file-drop.tsx';
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

/** A file that was read, and what importing it would do. */
type Read = { name: string; content: unknown; preview: FileImportResult };

/** Reads a file, shows what is in it, and imports its assistants. `problem`: why that did not succeed. */
function useFileImport(onImported: (result: ImportResult) => void) {
  const [read, setRead] = useState<Read>();
  const [problem, setProblem] = useState<string>();
  const preview = usePreviewImportFile();
  const importFile = useImportFile();
  const isBusy = preview.isPending || importFile.isPending;
  const take = async (file: File | undefined) => {
    if (!file || isBusy) return;
    setProblem(undefined);
    setRead(undefined);
    try {
      const content = await readJson(file);
      setRead({ name: file.name, content, preview: await preview.mutateAsync(content) });
    } catch (error) {
      setProblem(`${file.name}: ${errorText(error)}`);
    }
  };
  const confirm = () => {
    if (!read || isBusy) return;
    importFile.mutate(read.content, {
      onSuccess: (result) => {
        setRead(undefined);
        showImportResult(result);
        onImported(result);
      },
      onError: (error) => {
        setProblem(`${read.name}: ${errorText(error)}`);
        showFailure('Failed to import assistants')(error);
      },
    });
  };
  return { take, confirm, cancel: () => setRead(undefined), read, problem, preview, importFile };
}

/** Imports assistants from a file of Roster, Open WebUI or LibreChat, or a response of the retired Assistants API. */
export function ImportFile({ onImported }: { onImported: (result: ImportResult) => void }) {
  const { take, confirm, cancel, read, problem, preview, importFile } = useFileImport(onImported);
  const { reason } = useEditAccess();
  return (
    <Card>
      <CardHeader
        title="Import from a JSON file"
        description="One assistant or a list of them: exported from Roster, agents of LibreChat, models of Open WebUI, or as the provider’s retired Assistants API returned them."
      />
      <CardBody className="grid gap-4">
        {read ? (
          <Preview read={read} isImporting={importFile.isPending} onImport={confirm} onCancel={cancel} />
        ) : (
          <FileDrop
            icon={FileJson}
            text="Drop a file here, up to 5 MB"
            label="JSON file with assistants"
            accept=".json,application/json"
            busy={preview.isPending}
            pendingLabel="Reading..."
            disabledReason={reason}
            onFile={(file) => void take(file)}
          />
        )}
        {problem && (
          <Notice tone="destructive" live>
            {problem}
          </Notice>
        )}
      </CardBody>
    </Card>
  );
}

type PreviewProps = { read: Read; isImporting: boolean; onImport: () => void; onCancel: () => void };

function Preview({ read: { name, preview }, isImporting, onImport, onCancel }: PreviewProps) {
  const { planned, failed } = preview;
  return (
    <section aria-label={name} className="grid gap-3">
      <p>
        <bdi className="wrap-anywhere font-medium">{name}</bdi>: {formatCount(planned.length, 'assistant')} to import
        {failed.length > 0 && `, ${formatNumber(failed.length)} left out`}.
      </p>
      <ul aria-label="Assistants in the file" className="grid gap-2">
        {planned.map((assistant) => (
          <Entry key={assistant.id} name={assistant.name} texts={[assistant.model]} notes={assistant.notes} />
        ))}
        {failed.map(({ id, name: failedName, reason }) => (
          <Entry key={`not ${id}`} name={failedName ?? id} texts={['not imported']} notes={[reason]} />
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        {planned.length > 0 && (
          <Button variant="primary" busy={isImporting} pendingLabel="Importing..." onClick={onImport}>
            Import {formatCount(planned.length, 'Assistant')}
          </Button>
        )}
        <Button onClick={onCancel}>Discard</Button>
      </div>
    </section>
  );
}

function Entry({ name, texts, notes }: { name: string; texts: string[]; notes: string[] }) {
  return (
    <li className="rounded-md border border-border px-3 py-2">
      <p className="wrap-anywhere">
        <bdi className="font-medium">{name}</bdi> <span className="text-muted-foreground">{texts.join(' ')}</span>
      </p>
      {notes.length > 0 && <p className="wrap-anywhere mt-1 text-muted-foreground text-sm">{notes.join(' ')}</p>}
    </li>
  );
}
