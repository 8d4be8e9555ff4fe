import type { DatasetFormat } from '@roster/contracts/fine-tuning/datasets';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { formatCount } from '#web/lib/format.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { RadioGroup } from '#web/ui/forms/radio-group.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { remainderText } from './gather-more-dialog.tsx';
import { GatheringFields } from './gathering-fields.tsx';
import { nameProblem } from './name-problem.ts';
import { type GatheringChoice, useCreateDataset } from './queries.ts';

export function CreateDatasetDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  const [format, setFormat] = useState<DatasetFormat>('chat');
  const [choice, setChoice] = useState<GatheringChoice>({ assistantId: null, withInstructions: true });
  const create = useCreateDataset();
  const navigate = useNavigate();
  const nameField = useRef<HTMLInputElement>(null);
  const submit = () => {
    const found = nameProblem(name);
    setProblem(found);
    if (found) return nameField.current?.focus();
    create.mutate(
      { name, format, ...choice },
      {
        onSuccess: ({ id, added, left }) => {
          toast({ title: 'Success', description: `${formatCount(added, 'example')} gathered.${remainderText(left)}` });
          onClose();
          void navigate({ to: '/fine-tuning/datasets/$id', params: { id } });
        },
      },
    );
  };
  return (
    <FormDialog
      title="New Dataset"
      description="Gathers the answers that you have rated or corrected in your chats. You then review them one by one."
      action={['Gather', 'Gathering...']}
      busy={create.isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'The dataset was not made', error: create.error, fallback: 'Please try again.' }}
      className="space-y-5"
    >
      <Field label="Name" required error={problem}>
        {(control) => (
          <Input
            {...control}
            ref={nameField}
            data-autofocus
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <FormatChoice format={format} onChange={setFormat} />
      <GatheringFields choice={choice} onChange={setChoice} format={format} />
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
