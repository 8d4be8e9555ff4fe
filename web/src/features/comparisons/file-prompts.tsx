import { promptLimit } from '@roster/contracts/comparisons/comparisons';
import type { File } from '@roster/contracts/files/files';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { UseFormReturn } from 'react-hook-form';
import { filesQuery } from '#web/api/files.ts';
import { errorText } from '#web/lib/api-client.ts';
import { formatMegabytes } from '#web/lib/text/format.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import type { DraftFields } from './draft.ts';

type FilePromptsProps = { form: UseFormReturn<DraftFields> };

/** A JSONL file and the number of its lines to use. */
export function FilePrompts({ form }: FilePromptsProps) {
  const { errors } = form.formState;
  const query = useInfiniteQuery(filesQuery({ q: '.jsonl', sort: 'newest', purpose: null }));
  const files = query.data && allItems(query.data);
  if (query.isError && !files)
    return (
      <RetryNotice tone="destructive" title="Failed to load the files" query={query}>
        {errorText(query.error)}
      </RetryNotice>
    );
  if (files?.length === 0)
    return (
      <Notice title="No JSONL files yet">
        Upload a validation file in{' '}
        <Link to="/files" className="underline underline-offset-4">
          Files
        </Link>
        , with a chat example or a preference pair on each line.
      </Notice>
    );
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_9rem]">
      <FileField files={files} form={form} />
      <Field label="Prompts" required error={errors.count?.message}>
        {(control) => (
          <Input {...control} {...form.register('count')} type="number" inputMode="numeric" min={1} max={promptLimit} />
        )}
      </Field>
    </div>
  );
}

type FileFieldProps = FilePromptsProps & { files: readonly File[] | undefined };

function FileField({ files, form }: FileFieldProps) {
  const { ref, name, onBlur } = form.register('fileId');
  return (
    <Field
      label="File"
      required
      hint="Lines are chosen evenly from the whole file; those with tools or images are skipped."
      error={form.formState.errors.fileId?.message}
    >
      {(control) => (
        <Select
          {...control}
          {...{ ref, name, onBlur }}
          // Controlled: the chosen file may be among the options only once they are loaded.
          value={form.watch('fileId')}
          onChange={(event) => form.setValue('fileId', event.target.value)}
        >
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
