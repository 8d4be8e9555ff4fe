import { type FileSort, fileSorts } from '@roster/contracts/files';
import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { FilesView } from '#web/data/files.ts';
import { Input } from '#web/ui/input.tsx';
import { Select } from '#web/ui/select.tsx';
import { purposeChoices } from './purposes.ts';

const settleAfter = 250;
const sortNames: Record<FileSort, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'Filename',
  size: 'Largest first',
};

type FilesToolbarProps = { view: FilesView; onViewChange: (view: FilesView) => void };

export function FilesToolbar({ view, onViewChange }: FilesToolbarProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <SearchField text={view.q} onSearch={(q) => onViewChange({ ...view, q })} />
      <Select
        aria-label="Purpose"
        value={view.purpose ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onViewChange({ ...view, purpose: purposeChoices.find((choice) => choice.value === value)?.value ?? null })
        }
        className="max-sm:flex-1 sm:w-36"
      >
        <option value="">All purposes</option>
        {purposeChoices.map(({ value, name }) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Sort by"
        value={view.sort}
        onChange={({ currentTarget: { value } }) =>
          onViewChange({ ...view, sort: fileSorts.find((sort) => sort === value) ?? 'newest' })
        }
        className="max-sm:flex-1 sm:w-36"
      >
        {fileSorts.map((sort) => (
          <option key={sort} value={sort}>
            {sortNames[sort]}
          </option>
        ))}
      </Select>
    </div>
  );
}

/** Asks once the typing has stopped for a moment, so that not every key asks the server. */
function SearchField({ text, onSearch }: { text: string; onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const asked = useRef(text);
  // Cleared from elsewhere: the button in the empty list.
  useEffect(() => {
    if (text === asked.current) return;
    asked.current = text;
    setTyped(text);
  }, [text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is asked follows what is typed, and nothing else.
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === asked.current) return;
    const timer = setTimeout(() => {
      asked.current = wanted;
      onSearch(wanted);
    }, settleAfter);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <search className="relative block min-w-40 flex-1 max-sm:basis-full">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted-foreground"
      />
      <Input
        type="search"
        aria-label="Search files"
        placeholder="Search filenames"
        maxLength={255}
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        className="pl-9"
      />
    </search>
  );
}
