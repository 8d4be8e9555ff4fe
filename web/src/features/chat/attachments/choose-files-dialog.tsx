import type { File } from '@roster/contracts/files/files';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { filesQuery } from '#web/api/files.ts';
import { FileChoices } from '#web/components/file-choices.tsx';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { SearchField } from '#web/ui/forms/search-field.tsx';
import { attachmentProblem, guessKind } from './attachable.ts';
import { sizeOf } from './attachment-chip.tsx';

type ChooseFilesDialogProps = {
  /** Attachments the message already has. */
  attached: readonly { id: number | null; size: number }[];
  onAttach: (files: File[]) => void;
  onClose: () => void;
};

const kindNames = { Image: 'Image', Document: 'Document', Text: 'Text', Other: 'Other file' };

/** Attaches stored files. */
export function ChooseFilesDialog({ attached, onAttach, onClose }: ChooseFilesDialogProps) {
  const [q, setQ] = useState('');
  const [chosen, setChosen] = useState<readonly File[]>([]);
  const query = useInfiniteQuery(filesQuery({ q, sort: 'newest', purpose: null }));
  const blockedReason = (file: File) =>
    attached.some(({ id }) => id === file.id) ? 'Already attached.' : attachmentProblem(file, [...attached, ...chosen]);
  const toggle = (file: File) =>
    setChosen((before) =>
      before.some(({ id }) => id === file.id) ? before.filter(({ id }) => id !== file.id) : [...before, file],
    );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Attach from Your Files"
      description="Their content is sent to the model with your message."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabledReason={chosen.length === 0 ? 'Please select at least one file' : undefined}
            onClick={() => onAttach([...chosen])}
          >
            {chosen.length === 0 ? 'Attach' : `Attach ${chosen.length}`}
          </Button>
        </>
      }
    >
      <SearchField text={q} onSearch={setQ} label="Search your files" placeholder="Search your files" maxLength={255} />
      <FileChoices
        query={query}
        isSearch={q !== ''}
        chosen={chosen.map(({ id }) => id)}
        detail={(file) => `${kindNames[guessKind(file)]}, ${sizeOf(file.size)}`}
        blockedReason={blockedReason}
        onToggle={toggle}
        className="h-80 max-h-[50dvh]"
      />
    </Dialog>
  );
}
