import { Download } from 'lucide-react';
import { saveText } from '#web/lib/download.ts';
import { Button } from '#web/ui/button.tsx';

type SaveResultsProps = {
  /** File name without extension. */
  name: string;
  csv: () => string;
  json: () => string;
  disabledReason?: string | undefined;
};

/** Downloads of the results. */
export function SaveResults({ name, csv, json, disabledReason }: SaveResultsProps) {
  const files = [
    { kind: 'CSV', save: () => saveText(`${name}.csv`, csv(), 'text/csv;charset=utf-8') },
    { kind: 'JSON', save: () => saveText(`${name}.json`, json(), 'application/json') },
  ];
  return files.map(({ kind, save }) => (
    <Button
      key={kind}
      size="sm"
      icon={Download}
      aria-label={`Save ${kind}`}
      disabledReason={disabledReason}
      onClick={save}
    >
      {kind}
    </Button>
  ));
}
