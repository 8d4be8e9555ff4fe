import { assistantFileLimit } from '@roster/contracts/assistants/assistants';
import { unsearchableReason } from '@roster/contracts/files/searchable-files';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { filesQuery } from '#web/api/files.ts';
import { type FileChoice, FileChoices } from '#web/components/file-choices.tsx';
import { formatMegabytes } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { SearchField } from '#web/ui/forms/search-field.tsx';

type FilePickerProps = {
  /** Ids of files the assistant already has. */
  taken: readonly number[];
  /** Number of files that can still be added. */
  room: number;
  busy: boolean;
  onAdd: (files: FileChoice[]) => Promise<void>;
  onCancel: () => void;
};

/** Selects from the user's files. */
export function FilePicker({ taken, room, busy, onAdd, onCancel }: FilePickerProps) {
  const [q, setQ] = useState('');
  const [chosen, setChosen] = useState<readonly FileChoice[]>([]);
  const query = useInfiniteQuery(filesQuery({ q, sort: 'newest', purpose: null }));
  const blockedReason = ({ id, filename }: FileChoice) => {
    if (taken.includes(id)) return 'Already added.';
    const reason = unsearchableReason(filename);
    if (reason !== undefined) return reason;
    return chosen.length >= room ? `An assistant can have at most ${assistantFileLimit} files.` : undefined;
  };
  const toggle = (file: FileChoice) =>
    setChosen((before) => {
      const others = before.filter(({ id }) => id !== file.id);
      return others.length < before.length ? others : [...before, file];
    });
  return (
    <div className="mt-3 rounded-md border border-border p-3">
      <SearchField text={q} onSearch={setQ} label="Search your files" placeholder="Search your files" maxLength={255} />
      <FileChoices
        query={query}
        isSearch={q !== ''}
        chosen={chosen.map(({ id }) => id)}
        detail={({ size }) => formatMegabytes(size)}
        blockedReason={blockedReason}
        onToggle={toggle}
        className="max-h-64"
      />
      <div className="mt-3 flex flex-wrap justify-end gap-2">
        <Button size="sm" onClick={onCancel}>
          Cancel
        </Button>
        <Button
          size="sm"
          variant="primary"
          busy={busy}
          pendingLabel="Adding..."
          disabledReason={chosen.length === 0 ? 'Please select at least one file' : undefined}
          onClick={() => void onAdd([...chosen])}
        >
          {chosen.length === 0 ? 'Add' : `Add ${chosen.length}`}
        </Button>
      </div>
    </div>
  );
}
