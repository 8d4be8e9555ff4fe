import { type FileSort, fileSorts } from '@roster/contracts/files/files';
import type { FilesView } from '#web/api/files.ts';
import { SearchField } from '#web/ui/forms/search-field.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { filterChoices } from './purposes.ts';

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
      <SearchField
        text={view.q}
        onSearch={(q) => onViewChange({ ...view, q })}
        label="Search files"
        placeholder="Search filenames"
        maxLength={255}
        className="min-w-40 flex-1 max-sm:basis-full"
      />
      <Select
        aria-label="Purpose"
        value={view.purpose ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onViewChange({ ...view, purpose: filterChoices.find((choice) => choice.value === value)?.value ?? null })
        }
        className="max-sm:flex-1 sm:w-36"
      >
        <option value="">All purposes</option>
        {filterChoices.map(({ value, name }) => (
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
