import type { ImportCandidate, ImportResult } from '@roster/contracts/assistants/assistants';
import { useState } from 'react';
import { useImportBatch } from '#web/api/assistant-changes.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Card } from '#web/ui/card.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { EnterKey } from './enter-key.tsx';
import { ImportFile } from './import-file.tsx';
import { showImportResult } from './import-result.tsx';
import { SelectAssistants } from './select-assistants.tsx';

/** Steps of the wizard. A typed key exists only here, until the wizard is left. */
type Step =
  | { name: 'enter-key' }
  | { name: 'select-assistants'; candidates: ImportCandidate[]; apiKey: string | undefined }
  | { name: 'importing'; count: number };

export function ImportTab({ onImported }: { onImported: (result: ImportResult) => void }) {
  const [step, setStep] = useState<Step>({ name: 'enter-key' });
  const importBatch = useImportBatch();

  const start = (from: Extract<Step, { name: 'select-assistants' }>, assistantIds: string[]) => {
    setStep({ name: 'importing', count: assistantIds.length });
    importBatch.mutate(
      { assistantIds, apiKey: from.apiKey },
      {
        onSuccess: (result) => {
          setStep({ name: 'enter-key' });
          showImportResult(result);
          onImported(result);
        },
        onError: (error) => {
          setStep(from);
          showFailure('Failed to import assistants', 'An error occurred. Please try again.')(error);
        },
      },
    );
  };

  if (step.name === 'importing') {
    return (
      <Card>
        <SpinnerPanel label="Importing" className="min-h-40 pb-0" />
        <p className="pb-14 text-center text-muted-foreground">Importing {formatCount(step.count, 'assistant')}…</p>
      </Card>
    );
  }
  if (step.name === 'select-assistants') {
    return (
      <SelectAssistants
        candidates={step.candidates}
        onBack={() => setStep({ name: 'enter-key' })}
        onImport={(ids) => start(step, ids)}
      />
    );
  }
  return (
    <div className="grid gap-4">
      <EnterKey onFetched={(candidates, apiKey) => setStep({ name: 'select-assistants', candidates, apiKey })} />
      <ImportFile onImported={onImported} />
    </div>
  );
}
