import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { filesQuery } from '#web/data/files.ts';
import { errorText } from '#web/lib/api.ts';
import { formatMegabytes } from '#web/lib/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { SearchField } from '#web/ui/search-field.tsx';
import { SpinnerPanel } from '#web/ui/spinner.tsx';

type FilePickerProps = {
  /** What the assistant has already. */
  taken: readonly number[];
  /** How many more it may have. */
  room: number;
  busy: boolean;
  onAdd: (fileIds: number[]) => Promise<void>;
  onCancel: () => void;
};

/** Chooses among one's files. */
export function FilePicker({ taken, room, busy, onAdd, onCancel }: FilePickerProps) {
  const [q, setQ] = useState('');
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const isFull = chosen.length >= room;
  const toggle = (id: number) =>
    setChosen((before) => (before.includes(id) ? before.filter((one) => one !== id) : [...before, id]));
  return (
    <div className="mt-3 rounded-md border border-border p-3">
      <SearchField text={q} onSearch={setQ} label="Search your files" placeholder="Search your files" maxLength={255} />
      <Choices q={q} taken={taken} chosen={chosen} isFull={isFull} onToggle={toggle} />
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

type ChoicesProps = {
  q: string;
  taken: readonly number[];
  chosen: readonly number[];
  isFull: boolean;
  onToggle: (id: number) => void;
};

function Choices({ q, taken, chosen, isFull, onToggle }: ChoicesProps) {
  const query = useInfiniteQuery(filesQuery({ q, sort: 'newest', purpose: null }));
  if (query.isPending) return <SpinnerPanel label="Loading your files" className="min-h-24" />;
  if (query.isError)
    return (
      <Notice tone="destructive" live className="mt-3">
        {errorText(query.error, 'Your files could not be loaded.')}{' '}
        <Button size="sm" busy={query.isFetching} onClick={() => void query.refetch()}>
          Try Again
        </Button>
      </Notice>
    );
  const files = query.data.pages.flatMap(({ items }) => items).filter(({ id }) => !taken.includes(id));
  if (files.length === 0 && !query.hasNextPage)
    return (
      <p className="mt-3 text-muted-foreground">
        {q === '' ? 'There are no more files. Upload one instead.' : 'No file has this in its name.'}
      </p>
    );
  return (
    <div className="mt-3 max-h-64 overflow-y-auto">
      <ul aria-label="Your files" className="grid gap-2.5 p-0.5">
        {files.map(({ id, filename, size }) => (
          <li key={id}>
            <Checkbox
              label={<span className="wrap-anywhere">{filename}</span>}
              description={formatMegabytes(size)}
              checked={chosen.includes(id)}
              disabled={isFull && !chosen.includes(id)}
              onChange={() => onToggle(id)}
            />
          </li>
        ))}
      </ul>
      <LoadMore query={query} what="files" />
    </div>
  );
}
