import type { File } from '@roster/contracts/files/files';
import { Download, Trash2 } from 'lucide-react';
import { memo } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { fileAddress } from '#web/api/files.ts';
import {
  formatCount,
  formatDateTime,
  formatLongDate,
  formatMegabytes,
  formatNumber,
  formatSmallSize,
} from '#web/lib/text/format.ts';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Tooltip } from '#web/ui/menus/tooltip.tsx';
import { type Column, Table } from '#web/ui/table.tsx';
import { useCompactLayout } from '#web/ui/use-compact-layout.ts';
import { useNarrow } from '#web/ui/use-narrow.ts';
import { ProviderState } from './provider-state.tsx';
import { purposeOf } from './purposes.ts';

type FileTableProps = {
  files: readonly File[];
  selected: ReadonlySet<number>;
  onSelect: (id: number, isSelected: boolean) => void;
  onPreview: (file: File) => void;
  onDelete: (file: File) => void;
  isLoading: boolean;
  isStale: boolean;
};

const usesOf = ({ usedBy }: File) => (usedBy === 0 ? 'Nothing yet' : formatCount(usedBy, 'place'));

export function FileTable(props: FileTableProps) {
  const { files, selected, onSelect, onPreview, onDelete, isLoading, isStale } = props;
  const isNarrow = useNarrow();
  const isTight = useCompactLayout();
  const name: Column<File> = {
    id: 'name',
    header: 'Filename',
    isTitle: true,
    cell: (file) => (
      <FileName
        file={file}
        isSelected={selected.has(file.id)}
        withDetails={isTight && !isNarrow}
        onSelect={onSelect}
        onPreview={onPreview}
      />
    ),
  };
  const actionsOf = (file: File) => <FileActions file={file} onDelete={onDelete} />;
  const actions: Column<File> = { id: 'actions', header: 'Actions', width: 'w-28', align: 'end', cell: actionsOf };
  return (
    <Table
      label="Files"
      columns={
        isNarrow
          ? [name, size, date, purpose, uses]
          : isTight
            ? [name, size, actions]
            : [name, purpose, uses, size, date, actions]
      }
      rows={files}
      rowKey={({ id }) => id}
      loadingRows={isLoading ? 6 : 0}
      isStale={isStale}
      {...(isNarrow && { actions: actionsOf })}
    />
  );
}

const purpose: Column<File> = {
  id: 'purpose',
  header: 'Purpose',
  width: 'w-28',
  cell: (file) => purposeOf(file),
};
const uses: Column<File> = {
  id: 'uses',
  header: 'Used by AI',
  width: 'w-32',
  cell: (file) => (
    <span
      title={file.usedBy > 0 ? 'Assistants, messages, fine-tuning jobs and vector stores of programs' : undefined}
      className={file.usedBy === 0 ? 'text-muted-foreground' : undefined}
    >
      {usesOf(file)}
    </span>
  ),
};
const size: Column<File> = {
  id: 'size',
  header: 'Size',
  align: 'end',
  width: 'w-26',
  cell: (file) => <Size bytes={file.size} />,
};
const date: Column<File> = {
  id: 'date',
  header: 'Upload date',
  width: 'w-44',
  cell: (file) => <UploadDate date={file.date} />,
};

// Lists may have thousands of rows; memoize their cells.

/** Below this, two decimals of a megabyte say little. */
const saysLittle = 104_858;

const Size = memo(({ bytes }: { bytes: number }) => (
  <span className="inline-flex gap-x-2 tabular-nums md:flex-col md:items-end" title={`${formatNumber(bytes)} bytes`}>
    <bdi>{formatMegabytes(bytes)}</bdi>
    {bytes < saysLittle && <bdi className="text-muted-foreground text-sm">{formatSmallSize(bytes)}</bdi>}
  </span>
));

const UploadDate = memo(({ date }: { date: string }) => (
  <time dateTime={date} title={formatDateTime(date)}>
    {formatLongDate(date)}
  </time>
));

type FileNameProps = Pick<FileTableProps, 'onSelect' | 'onPreview'> & {
  file: File;
  isSelected: boolean;
  /** Shows details that have no column of their own. */
  withDetails: boolean;
};

const FileName = memo(({ file, isSelected, withDetails, onSelect, onPreview }: FileNameProps) => {
  const { mayEdit } = useEditAccess();
  const { id, filename } = file;
  return (
    <div className="flex gap-2 py-2 ps-1 max-md:py-1">
      {mayEdit && (
        <span className="flex h-5 items-center pe-1">
          <Checkbox
            aria-label={`Select ${filename}`}
            checked={isSelected}
            onChange={(event) => onSelect(id, event.currentTarget.checked)}
          />
        </span>
      )}
      <div className="min-w-0 flex-1 px-1">
        <button
          type="button"
          title={filename}
          onClick={() => onPreview(file)}
          className="block max-w-full truncate rounded-xs text-start font-medium -outline-offset-1 hover:underline"
        >
          {filename}
        </button>
        {withDetails && (
          <p className="whitespace-normal text-muted-foreground text-sm">
            {[formatLongDate(file.date), purposeOf(file), file.usedBy > 0 && `used in ${usesOf(file)}`]
              .filter(Boolean)
              .join(' · ')}
          </p>
        )}
        <ProviderState file={file} />
      </div>
    </div>
  );
});

const FileActions = memo(({ file, onDelete }: { file: File; onDelete: (file: File) => void }) => {
  const { mayEdit, reason } = useEditAccess();
  return (
    <div className="flex justify-end gap-1 p-1">
      <Tooltip content="Download">
        <a
          href={fileAddress(file.id)}
          download={file.filename}
          aria-label={`Download ${file.filename}`}
          className="inline-flex size-8 items-center justify-center rounded-md text-muted-foreground transition-colors duration-120 hover:bg-hover hover:text-foreground max-md:size-9"
        >
          <Download aria-hidden className="size-4" />
        </a>
      </Tooltip>
      <IconButton
        label={`Delete ${file.filename}`}
        tooltip={reason ?? 'Delete'}
        aria-description={reason}
        icon={Trash2}
        disabled={!mayEdit}
        onClick={() => onDelete(file)}
        className="max-md:size-9 md:size-8"
      />
    </div>
  );
});
