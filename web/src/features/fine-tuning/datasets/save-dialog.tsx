import type { Dataset } from '@roster/contracts/fine-tuning/datasets';
import { nameText } from '@roster/contracts/text/text';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { z } from 'zod';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { formatCount, formatMegabytes, formatNumber } from '#web/lib/text/format.ts';
import { buttonClass } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { includedCount, minExamples } from './labels.ts';
import { divisionQuery, useSaveDataset } from './queries.ts';

const shares = [0.1, 0.2, 0.3] as const;
const usualShare = 0.2;

const fileNameOf = (name: string) =>
  `${
    name
      .normalize('NFKC')
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replace(/\s+/g, '-')
      .slice(0, 100) || 'dataset'
  }.jsonl`;

const SaveForm = z.object({
  filename: nameText(200, 'The name cannot exceed 200 characters', 'Name is required'),
  /** Share of the examples to validate with; null for one file. */
  validationShare: z.number().nullable(),
});

export function SaveDialog({ dataset, onClose }: { dataset: Dataset; onClose: () => void }) {
  const form = useSchemaForm(
    SaveForm,
    { filename: fileNameOf(dataset.name), validationShare: null },
    { shouldFocusError: false },
  );
  const share = form.watch('validationShare');
  const save = useSaveDataset(dataset.id);
  const division = useQuery(divisionQuery(dataset.id, share ?? usualShare));
  const submit = form.handleSubmit((values) =>
    save.mutate(values, {
      onSuccess: (files) => toast({ title: 'Success', description: `${files.training.filename} has been saved.` }),
    }),
  );
  if (save.data) return <SavedDialog files={save.data} onClose={onClose} />;
  return (
    <FormDialog
      title="Save as Training File"
      description="Saves all examples except those left out to your files, one per line (JSONL)."
      action={['Save', 'Saving...']}
      busy={save.isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'Nothing was saved', error: save.error, fallback: 'Please try again.' }}
      className="space-y-5"
    >
      <Field label="Filename" required error={form.formState.errors.filename?.message}>
        {(control) => (
          <Input {...control} {...form.register('filename')} data-autofocus autoComplete="off" maxLength={200} />
        )}
      </Field>
      <ValidationField
        share={share}
        isWhole={division.data?.conversations === 1}
        onChange={(next) => form.setValue('validationShare', next)}
      />
      <SplitPreview dataset={dataset} division={share === null ? null : division.data} />
      {share !== null && division.error && (
        <RetryNotice tone="warning" title="Failed to count the parts" query={division}>
          {errorText(division.error, 'You can still save them.')}
        </RetryNotice>
      )}
    </FormDialog>
  );
}

type ValidationFieldProps = {
  share: number | null;
  /** All examples come from one conversation. */
  isWhole: boolean;
  onChange: (share: number | null) => void;
};

function ValidationField({ share, isWhole, onChange }: ValidationFieldProps) {
  return (
    <Field
      label="Validation"
      hint={
        isWhole
          ? 'All examples come from one conversation, which cannot be split.'
          : 'Examples for measuring the model, not for training. They go into a second file. Conversations are not split, so the share may vary slightly.'
      }
    >
      {(control) => (
        <Select
          {...control}
          value={share ?? ''}
          onChange={({ currentTarget: { value } }) => onChange(value === '' ? null : Number(value))}
        >
          <option value="">None: one file</option>
          {shares.map((option) => (
            <option key={option} value={option} disabled={isWhole}>
              {`${option * 100} % for validation`}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

type Division = { training: number; validation: number };

/** `division`: null for a single file, undefined while loading. */
function SplitPreview({ dataset, division }: { dataset: Dataset; division: Division | null | undefined }) {
  const count = includedCount(dataset);
  const training = division === null ? count : division?.training;
  const isFew = training !== undefined && training < minExamples;
  return (
    <Notice tone={isFew ? 'warning' : 'info'} title={wordsFor(count, division)}>
      {[
        isFew && `The provider requires at least ${minExamples}; 50 or more are recommended.`,
        dataset.unreviewed > 0 && `${formatCount(dataset.unreviewed, 'unreviewed example')} will be in it.`,
        dataset.format === 'chat' && 'Only the last answer of each conversation is learned.',
      ]
        .filter(Boolean)
        .join(' ')}
    </Notice>
  );
}

const wordsFor = (count: number, division: Division | null | undefined) =>
  division
    ? `${formatCount(division.training, 'example')} to train on, ${formatNumber(division.validation)} for validation`
    : `${formatCount(count, 'example')}${division === null ? '' : ' in two files'}`;

type Saved = NonNullable<ReturnType<typeof useSaveDataset>['data']>;

function SavedDialog({ files, onClose }: { files: Saved; onClose: () => void }) {
  const made = [files.training, ...(files.validation ? [files.validation] : [])];
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={made.length === 1 ? 'Training file saved' : 'Training and validation file saved'}
      footer={
        <>
          <Link to="/files" className={buttonClass()}>
            Open in Files
          </Link>
          <Link
            to="/fine-tuning"
            search={{
              tab: 'jobs',
              train: files.training.id,
              ...(files.validation && { validate: files.validation.id }),
            }}
            data-autofocus
            className={buttonClass({ variant: 'primary' })}
          >
            Create fine-tuning job
          </Link>
        </>
      }
    >
      <ul className="divide-y divide-border rounded-md border border-border bg-background">
        {made.map(({ id, filename, size }) => (
          <li key={id} className="flex items-baseline justify-between gap-4 px-3 py-2.5">
            <span className="wrap-anywhere min-w-0 font-medium">{filename}</span>
            <span className="shrink-0 text-muted-foreground text-sm tabular-nums">{formatMegabytes(size)}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
