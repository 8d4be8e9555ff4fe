import {
  type PromptImport,
  type PromptImportEntry,
  type PromptSource,
  promptImportBytes,
} from '@roster/contracts/prompts/prompts';
import { FileJson } from 'lucide-react';
import { useState } from 'react';
import { useImportPrompts, usePreviewPromptImport } from '#web/api/prompts.ts';
import { errorText } from '#web/lib/api-client.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { FileDrop } from '#web/ui/forms/file-drop.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';

const sources: Record<PromptSource, string> = {
  roster: 'Roster',
  'open-webui': 'Open WebUI',
  librechat: 'LibreChat',
};
const megabytes = promptImportBytes / 1024 / 1024;

async function readJson(file: File): Promise<unknown> {
  if (file.size > promptImportBytes) throw new Error(`The file is larger than ${megabytes} MB.`);
  const text = await file.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('The file is not valid JSON.', { cause });
  }
}

/** A file that was read, and what importing it would do. */
type Read = { name: string; content: unknown; preview: PromptImport };

function useImportSteps(onDone: () => void) {
  const [read, setRead] = useState<Read | null>(null);
  const [problem, setProblem] = useState<string>();
  const preview = usePreviewPromptImport();
  const store = useImportPrompts();
  const isBusy = preview.isPending || store.isPending;
  const take = async (file: File | undefined) => {
    if (!file || isBusy) return;
    setProblem(undefined);
    try {
      const content = await readJson(file);
      setRead({ name: file.name, content, preview: await preview.mutateAsync(content) });
    } catch (error) {
      setProblem(`${file.name}: ${errorText(error)}`);
    }
  };
  const confirm = async () => {
    if (!read || isBusy) return;
    setProblem(undefined);
    try {
      const { added, present, refused } = await store.mutateAsync(read.content);
      toast({
        title: 'Prompts imported',
        description: `${added} added, ${present} already there, ${refused} left out.`,
      });
      onDone();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  return { read, problem, isReading: preview.isPending, isStoring: store.isPending, take, confirm };
}

/** Imports prompts from a file, after showing what would become of them. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { read, problem, isReading, isStoring, take, confirm } = useImportSteps(onClose);
  const added = read?.preview.added ?? 0;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Import Prompts"
      description="From a JSON export of Roster, Open WebUI or LibreChat."
      size="lg"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            busy={isStoring}
            pendingLabel="Importing..."
            disabledReason={added === 0 ? (read ? 'Nothing in this file is new' : 'Choose a file first') : undefined}
            onClick={() => void confirm()}
          >
            {added === 0 ? 'Import' : `Import ${formatCount(added, 'Prompt')}`}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <FileDrop
          icon={FileJson}
          text={read?.name ?? `Drop a file here, up to ${megabytes} MB`}
          label="JSON file with prompts"
          accept=".json,application/json"
          buttonLabel={read ? 'Choose Another File' : 'Choose File'}
          busy={isReading}
          pendingLabel="Reading..."
          onFile={(file) => void take(file)}
        />
        {problem && (
          <Notice tone="destructive" live>
            {problem}
          </Notice>
        )}
        {read && <Preview {...read.preview} />}
      </div>
    </Dialog>
  );
}

const summary = ({ source, added, present, refused, left }: PromptImport) =>
  [
    `From ${sources[source]}: ${added} new`,
    present > 0 && `${present} already there`,
    refused > 0 && `${refused} left out`,
    left > 0 && `${left} not read, because one import takes 1,000`,
  ]
    .filter(Boolean)
    .join(', ');

const states = {
  new: ['New', 'success'],
  present: ['Already there', 'neutral'],
  refused: ['Left out', 'warning'],
} as const;

/** Entries that need attention come first. */
const rank = ({ state, notes }: PromptImportEntry) =>
  state === 'refused' ? 0 : notes.length > 0 ? 1 : state === 'new' ? 2 : 3;
const entryLimit = 200;

function Preview(preview: PromptImport) {
  const entries = preview.entries.toSorted((a, b) => rank(a) - rank(b) || a.position - b.position);
  const shown = entries.slice(0, entryLimit);
  return (
    <section aria-label="Preview of the import">
      <output className="font-medium">{summary(preview)}.</output>
      <ul
        aria-label="Prompts in the file"
        className="mt-3 max-h-[40dvh] divide-y divide-border overflow-y-auto rounded-md border border-border"
      >
        {shown.map((entry) => (
          <EntryRow key={entry.position} entry={entry} />
        ))}
      </ul>
      {entries.length > shown.length && (
        <p className="mt-2 text-muted-foreground text-sm">
          And {formatCount(entries.length - shown.length, 'more entry', 'more entries')}.
        </p>
      )}
    </section>
  );
}

function EntryRow({ entry }: { entry: PromptImportEntry }) {
  const { position, name, title, state, reason, notes } = entry;
  const [label, tone] = states[state];
  const texts = [...(reason === null ? [] : [reason]), ...notes];
  return (
    <li className="flex items-start gap-3 px-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">
          <bdi>{title || `Entry ${position}`}</bdi>{' '}
          {name && <bdi className="font-mono text-muted-foreground text-xs">/{name}</bdi>}
        </p>
        {texts.map((text) => (
          <p key={text} className="wrap-anywhere text-muted-foreground text-sm">
            {text}
          </p>
        ))}
      </div>
      <Badge tone={tone}>{label}</Badge>
    </li>
  );
}
