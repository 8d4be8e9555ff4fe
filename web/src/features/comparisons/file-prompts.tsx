import { promptLimit } from '@roster/contracts/comparisons/comparisons';
import type { File } from '@roster/contracts/files/files';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { filesQuery } from '#web/api/files.ts';
import { errorText } from '#web/lib/api-client.ts';
import { formatMegabytes } from '#web/lib/format.ts';
import { allItems } from '#web/lib/paged-items.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';

type FilePromptsProps = {
  fileId: string;
  onFile: (fileId: string) => void;
  count: string;
  onCount: (count: string) => void;
  errors: { file?: string; count?: string };
};

/** A JSONL file, and how many of its lines. */
export function FilePrompts({ fileId, onFile, count, onCount, errors }: FilePromptsProps) {
  const query = useInfiniteQuery(filesQuery({ q: '.jsonl', sort: 'newest', purpose: null }));
  const files = query.data && allItems(query.data);
  if (query.isError && !files)
    return (
      <RetryNotice tone="destructive" title="The files could not be loaded" query={query}>
        {errorText(query.error)}
      </RetryNotice>
    );
  if (files?.length === 0)
    return (
      <Notice title="There is no JSONL file yet">
        Upload a validation file in{' '}
        <Link to="/files" className="underline underline-offset-4">
          Files
        </Link>
        , with a chat example or a preference pair on each line.
      </Notice>
    );
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_9rem]">
      <FileField files={files} fileId={fileId} error={errors.file} onFile={onFile} />
      <Field label="Prompts" required error={errors.count}>
        {(control) => (
          <Input
            {...control}
            name="count"
            type="number"
            inputMode="numeric"
            min={1}
            max={promptLimit}
            value={count}
            onChange={(event) => onCount(event.target.value)}
          />
        )}
      </Field>
    </div>
  );
}

type FileFieldProps = Pick<FilePromptsProps, 'fileId' | 'onFile'> & {
  files: readonly File[] | undefined;
  error: string | undefined;
};

function FileField({ files, fileId, error, onFile }: FileFieldProps) {
  return (
    <Field
      label="File"
      required
      hint="Lines are chosen evenly over the whole file; those with tools or images are passed over."
      error={error}
    >
      {(control) => (
        <Select {...control} name="file" value={fileId} onChange={(event) => onFile(event.target.value)}>
          <option value="">{files ? 'Choose a file' : 'Loading...'}</option>
          {files?.map(({ id, filename, size }) => (
            <option key={id} value={id}>
              {filename} ({formatMegabytes(size)})
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
