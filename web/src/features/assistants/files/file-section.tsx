import { assistantFileLimit } from '@roster/contracts/assistants/assistants';
import { searchableExtensions } from '@roster/contracts/files/searchable-files';
import { Plus, Upload } from 'lucide-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useEditAccess } from '#web/api/current-user.ts';
import type { FileChoice } from '#web/components/file-choices.tsx';
import { Button } from '#web/ui/button.tsx';
import { FileInput } from '#web/ui/forms/file-input.tsx';
import { FilePicker } from './file-picker.tsx';
import { useKnowledgeUpload } from './use-knowledge-upload.ts';

type FileSectionProps = {
  /** When changes take effect. */
  effect: string;
  /** Ids of the files that the assistant has. */
  taken: readonly number[];
  busy: boolean;
  onAdd: (files: FileChoice[]) => unknown;
  /** The list of its files. */
  children: ReactNode;
};

/** The files of an assistant, with buttons that choose from one's files or upload others. */
export function FileSection({ effect, taken, busy, onAdd, children }: FileSectionProps) {
  const titleId = useId();
  const [isChoosing, setChoosing] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const { reason } = useEditAccess();
  const room = assistantFileLimit - taken.length;
  const blocked = reason ?? (room <= 0 ? `An assistant can have at most ${assistantFileLimit} files` : undefined);
  const upload = useKnowledgeUpload((file) => onAdd([file]));
  // Render the button again at once: a hidden element cannot take focus.
  const endChoosing = () => {
    flushSync(() => setChoosing(false));
    opener.current?.focus();
  };
  const chosen = async (files: FileChoice[]) => {
    await onAdd(files);
    endChoosing();
  };
  return (
    <section aria-labelledby={titleId} className="mt-7 border-border border-t pt-5">
      <h3 id={titleId} className="font-semibold">
        Files
      </h3>
      <p className="mt-1 text-muted-foreground text-sm">
        The model searches these files and cites them. {effect} The provider charges for searches separately; Roster’s
        costs count tokens only.
      </p>
      {children}
      {upload.current && (
        <output className="wrap-anywhere mt-3 block text-muted-foreground text-sm">
          {`Uploading ${upload.current.name}: ${upload.current.percent} %`}
        </output>
      )}
      {isChoosing && <FilePicker taken={taken} room={room} busy={busy} onAdd={chosen} onCancel={endChoosing} />}
      <div className="mt-3 flex flex-wrap gap-2" hidden={isChoosing}>
        <Button ref={opener} size="sm" icon={Plus} disabledReason={blocked} onClick={() => setChoosing(true)}>
          Add files
        </Button>
        <UploadButton busy={upload.current !== null} disabledReason={blocked} onFiles={upload.begin} />
      </div>
    </section>
  );
}

type UploadButtonProps = { busy: boolean; disabledReason: string | undefined; onFiles: (files: File[]) => void };

function UploadButton({ busy, disabledReason, onFiles }: UploadButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        size="sm"
        icon={Upload}
        busy={busy}
        pendingLabel="Uploading..."
        disabledReason={disabledReason}
        onClick={() => input.current?.click()}
      >
        Upload
      </Button>
      <FileInput
        ref={input}
        multiple
        accept={searchableExtensions.join()}
        label="Upload files for this assistant"
        onFiles={onFiles}
      />
    </>
  );
}
