import { assistantFileLimit } from '@roster/contracts/assistants/assistants';
import type { DraftFile } from '@roster/contracts/assistants/drafts';
import { FileText, X } from 'lucide-react';
import type { FileChoice } from '#web/components/file-choices.tsx';
import type { AssistantForm } from '#web/features/assistants/fields/use-assistant-form.ts';
import { formatMegabytes } from '#web/lib/text/format.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { FileSection } from './file-section.tsx';

const toDraft = ({ id: fileId, filename, size }: FileChoice): DraftFile => ({ fileId, filename, size });

/** Files that a new assistant gets when it is created. Part of the form. */
export function DraftFiles({ form }: { form: AssistantForm }) {
  const files = form.watch('files') ?? [];
  const error = form.formState.errors.files?.message;
  const change = (next: DraftFile[]) => {
    form.clearErrors('files');
    form.setValue('files', next, { shouldDirty: true });
  };
  // Read from the form: several uploads may end one after the other.
  const add = (added: FileChoice[]) => {
    const before = form.getValues('files') ?? [];
    const others = added.filter(({ id }) => before.every(({ fileId }) => fileId !== id));
    change([...before, ...others.map(toDraft)].slice(0, assistantFileLimit));
  };
  return (
    <FileSection
      effect="They are indexed once the assistant is created."
      taken={files.map(({ fileId }) => fileId)}
      busy={false}
      onAdd={add}
    >
      {error && (
        <p role="alert" className="mt-3 text-destructive-text text-sm">
          {error}
        </p>
      )}
      {files.length === 0 ? (
        <p className="mt-3 text-muted-foreground">No files yet. Answers use the model’s own knowledge.</p>
      ) : (
        <ul
          aria-label="Files of this assistant"
          className="mt-3 divide-y divide-border rounded-md border border-border"
        >
          {files.map((file) => (
            <Row
              key={file.fileId}
              file={file}
              onRemove={() => change(files.filter(({ fileId }) => fileId !== file.fileId))}
            />
          ))}
        </ul>
      )}
    </FileSection>
  );
}

function Row({ file: { filename, size }, onRemove }: { file: DraftFile; onRemove: () => void }) {
  return (
    <li className="flex items-start gap-2 px-3 py-2.5">
      <span className="flex h-5 shrink-0 items-center text-muted-foreground">
        <FileText aria-hidden className="size-4" />
      </span>
      <div className="min-w-0 flex-1">
        <p dir="auto" className="wrap-anywhere w-fit font-medium">
          {filename}
        </p>
        <p className="mt-0.5 text-muted-foreground text-sm">{formatMegabytes(size)}</p>
      </div>
      <IconButton
        label={`Remove ${filename}`}
        tooltip="Remove from this assistant"
        icon={X}
        size="sm"
        onClick={onRemove}
        className="max-md:size-10"
      />
    </li>
  );
}
