import type { ImportResult } from '@roster/contracts/assistants/assistants';
import { X } from 'lucide-react';
import { formatCount } from '#web/lib/text/format.ts';
import { toastError } from '#web/lib/toast.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';

const counts = ({ imported, failed }: ImportResult) => `${imported.length} imported, ${failed.length} failed.`;

export function showImportResult(result: ImportResult): void {
  if (result.imported.length === 0) {
    toastError({ title: 'Failed to import assistants', description: counts(result) });
  } else toast({ title: 'Assistants imported', description: counts(result) });
}

type ImportResultNoticeProps = { result: ImportResult; onDismiss: () => void };

/** Result of an import, above the list: imported, skipped with reasons, and adjusted. */
export function ImportResultNotice({ result, onDismiss }: ImportResultNoticeProps) {
  const noted = result.imported.filter((assistant) => assistant.notes.length > 0);
  const tone = result.failed.length > 0 ? 'warning' : 'success';
  return (
    <div className="relative mb-6">
      <Notice tone={tone} title={`${formatCount(result.imported.length, 'assistant')} imported`} className="pe-12">
        {result.failed.length > 0 && (
          <Details
            title={`${formatCount(result.failed.length, 'assistant')} could not be imported:`}
            lines={result.failed.map(({ id, name, reason }) => ({ key: id, subject: name ?? id, texts: [reason] }))}
          />
        )}
        {noted.length > 0 && (
          <Details
            title="Changed during import:"
            lines={noted.map(({ id, name, notes }) => ({ key: String(id), subject: name, texts: notes }))}
          />
        )}
      </Notice>
      <IconButton label="Dismiss" icon={X} size="sm" onClick={onDismiss} className="absolute top-2 inset-e-2" />
    </div>
  );
}

type Line = { key: string; subject: string; texts: readonly string[] };

function Details({ title, lines }: { title: string; lines: readonly Line[] }) {
  return (
    <div className="mt-2">
      <p>{title}</p>
      <ul className="mt-1 grid gap-1">
        {lines.map(({ key, subject, texts }) => (
          <li key={key} className="break-words">
            <bdi className="font-medium text-foreground">{subject}</bdi>: {texts.join(' ')}
          </li>
        ))}
      </ul>
    </div>
  );
}
