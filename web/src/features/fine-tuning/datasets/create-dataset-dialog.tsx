import { DatasetFormat, DatasetName } from '@roster/contracts/fine-tuning/datasets';
import { useNavigate } from '@tanstack/react-router';
import { z } from 'zod';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { RadioGroup } from '#web/ui/forms/radio-group.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { remainderText } from './gather-more-dialog.tsx';
import { GatheringFields } from './gathering-fields.tsx';
import { useCreateDataset } from './queries.ts';

const DatasetForm = z.object({
  name: DatasetName,
  format: DatasetFormat,
  choice: z.object({ assistantId: z.number().nullable(), withInstructions: z.boolean() }),
});

export function CreateDatasetDialog({ onClose }: { onClose: () => void }) {
  const form = useSchemaForm(DatasetForm, {
    name: '',
    format: 'chat',
    choice: { assistantId: null, withInstructions: true },
  });
  const [format, choice] = form.watch(['format', 'choice']);
  const create = useCreateDataset();
  const navigate = useNavigate();
  const submit = form.handleSubmit((values) =>
    create.mutate(
      { name: values.name, format: values.format, ...values.choice },
      {
        onSuccess: ({ id, added, left }) => {
          toast({ title: 'Success', description: `${formatCount(added, 'example')} gathered.${remainderText(left)}` });
          onClose();
          void navigate({ to: '/fine-tuning/datasets/$id', params: { id } });
        },
      },
    ),
  );
  return (
    <FormDialog
      title="New Dataset"
      description="Collects the answers you rated or corrected in your chats, for you to review one by one."
      action={['Gather', 'Gathering...']}
      busy={create.isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'Failed to create the dataset', error: create.error, fallback: 'Please try again.' }}
      className="space-y-5"
    >
      <Field label="Name" required error={form.formState.errors.name?.message}>
        {(control) => <Input {...control} {...form.register('name')} data-autofocus autoComplete="off" />}
      </Field>
      <FormatChoice format={format} onChange={(next) => form.setValue('format', next)} />
      <GatheringFields choice={choice} onChange={(next) => form.setValue('choice', next)} format={format} />
    </FormDialog>
  );
}

type FormatChoiceProps = { format: DatasetFormat; onChange: (format: DatasetFormat) => void };

function FormatChoice({ format, onChange }: FormatChoiceProps) {
  return (
    <RadioGroup
      label="Format"
      value={format}
      onValueChange={onChange}
      layout="row"
      options={[
        {
          value: 'chat',
          label: 'Chat',
          description: 'Good answers, and corrected ones as you wrote them. For supervised training.',
        },
        {
          value: 'preference',
          label: 'Preference',
          description: 'Pairs of a better and a worse answer to the same question.',
        },
      ]}
    />
  );
}
