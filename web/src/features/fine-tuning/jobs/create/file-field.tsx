import type { File } from '@roster/contracts/files/files';
import { type Control, Controller } from 'react-hook-form';
import { formatLongDate, formatMegabytes } from '#web/lib/text/format.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import type { JobFormOutput, JobFormValues } from './job-form.ts';
import { UploadButton } from './upload-button.tsx';

type FileFieldProps = {
  control: Control<JobFormValues, unknown, JobFormOutput>;
  name: 'trainingFileId' | 'validationFileId';
  label: string;
  hint: string;
  /** Label of the option for no file. */
  none: string;
  required?: boolean;
  files: readonly File[];
};

/** Options cannot contain elements, so isolate characters keep the name's direction separate from the rest. */
const nameOf = ({ filename, size, createdAt }: File) =>
  `\u2068${filename}\u2069 · ${formatMegabytes(size)} · ${formatLongDate(createdAt)}`;

/** Selects a stored file, or uploads one. */
export function FileField({ control: formControl, name, label, hint, none, required, files }: FileFieldProps) {
  const meant = files.filter(({ purpose }) => purpose === 'fine-tune');
  const others = files.filter(({ purpose }) => purpose !== 'fine-tune');
  return (
    <Controller
      control={formControl}
      name={name}
      render={({ field, fieldState }) => (
        <Field label={label} required={required} hint={hint} error={fieldState.error?.message}>
          {(control) => (
            <div className="flex gap-2 max-sm:flex-col">
              <Select
                {...control}
                ref={field.ref}
                onBlur={field.onBlur}
                value={field.value ?? ''}
                onChange={({ currentTarget: { value } }) => field.onChange(value === '' ? null : Number(value))}
                className="min-w-0 flex-1"
              >
                <option value="">{none}</option>
                {meant.map((file) => (
                  <option key={file.id} value={file.id}>
                    {nameOf(file)}
                  </option>
                ))}
                {others.length > 0 && (
                  <optgroup label="Uploaded for another purpose">
                    {others.map((file) => (
                      <option key={file.id} value={file.id}>
                        {nameOf(file)}
                      </option>
                    ))}
                  </optgroup>
                )}
              </Select>
              <UploadButton label={`Upload a ${label.toLowerCase()}`} onUploaded={({ id }) => field.onChange(id)} />
            </div>
          )}
        </Field>
      )}
    />
  );
}
