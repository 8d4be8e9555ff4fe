import { unsearchableReason } from '@roster/contracts/files/searchable-files';
import { projectFileLimit } from '@roster/contracts/projects/projects';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { filesQuery } from '#web/api/files.ts';
import { type FileChoice, FileChoices } from '#web/components/file-choices.tsx';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatMegabytes } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { SearchField } from '#web/ui/forms/search-field.tsx';
import { useAddProjectFiles } from './file-queries.ts';

type AddFilesDialogProps = { projectId: number; taken: readonly number[]; onClose: () => void };

/** Adds stored files to a project. */
export function AddFilesDialog({ projectId, taken, onClose }: AddFilesDialogProps) {
  const [q, setQ] = useState('');
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const query = useInfiniteQuery(filesQuery({ q, sort: 'newest', purpose: null }));
  const add = useAddProjectFiles(projectId);
  const blockedReason = ({ id, filename }: FileChoice) => {
    if (taken.includes(id)) return 'Already added.';
    const isFull = taken.length + chosen.length >= projectFileLimit;
    return (
      unsearchableReason(filename) ?? (isFull ? `A project can have at most ${projectFileLimit} files.` : undefined)
    );
  };
  const toggle = ({ id }: FileChoice) =>
    setChosen((before) => (before.includes(id) ? before.filter((one) => one !== id) : [...before, id]));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Add Files to the Project"
      description={
        <>
          The model searches them and cites them. Upload new ones on the page{' '}
          <Link to="/files" className="text-foreground underline underline-offset-4">
            Files
          </Link>
          .
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            busy={add.isPending}
            pendingLabel="Adding..."
            disabledReason={chosen.length === 0 ? 'Please select at least one file' : undefined}
            onClick={() => add.mutate([...chosen], { onSuccess: onClose, onError: showFailure('Failed to add files') })}
          >
            {chosen.length === 0 ? 'Add' : `Add ${chosen.length}`}
          </Button>
        </>
      }
    >
      <SearchField text={q} onSearch={setQ} label="Search your files" placeholder="Search your files" maxLength={255} />
      <FileChoices
        query={query}
        isSearch={q !== ''}
        chosen={chosen}
        detail={({ size }) => formatMegabytes(size)}
        blockedReason={blockedReason}
        onToggle={toggle}
        className="h-80 max-h-[50dvh]"
      />
    </Dialog>
  );
}
