import type { ImportResult } from '@roster/contracts/assistants/assistants';
import { FileJson } from 'lucide-react';
import { useState } from 'react';
import { useImportFile } from '#web/api/assistant-changes.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
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
  const { reason } = useEditAccess();
  return (
    <Card>
      <CardHeader
        title="Import from a JSON file"
        description="One assistant or a list of them: exported from Roster, or as the provider’s retired Assistants API returned them."
      />
      <CardBody className="grid gap-4">
        <FileDrop
          icon={FileJson}
          text="Drop a file here, up to 5 MB"
          label="JSON file with assistants"
          accept=".json,application/json"
          busy={isPending}
          pendingLabel="Importing..."
          disabledReason={reason}
          onFile={(file) => void take(file)}
        />
        {problem && (
          <Notice tone="destructive" live>
            {problem}
          </Notice>
        )}
      </CardBody>
    </Card>
  );
}
