import type { DatasetFormat } from '@roster/contracts/fine-tuning/datasets';
import { useQuery } from '@tanstack/react-query';
import { assistantsQuery } from '#web/api/assistants.ts';
import { errorText } from '#web/lib/api-client.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { Switch } from '#web/ui/forms/switch.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { availableQuery, type GatheringChoice } from './queries.ts';

type GatheringFieldsProps = {
  choice: GatheringChoice;
  onChange: (choice: GatheringChoice) => void;
  format: DatasetFormat;
};

/** Selects which rated answers are gathered, and counts them. */
export function GatheringFields({ choice, onChange, format }: GatheringFieldsProps) {
  const assistants = useQuery(assistantsQuery);
  return (
    <>
      <Field label="Answers from">
        {(control) => (
          <Select
            {...control}
            value={choice.assistantId ?? ''}
            onChange={({ currentTarget: { value } }) =>
              onChange({ ...choice, assistantId: value === '' ? null : Number(value) })
            }
          >
            <option value="">All conversations</option>
            {assistants.data?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Switch
        label="With instructions"
        description="Adds the assistant’s current instructions to each example."
        checked={choice.withInstructions}
        onChange={(event) => onChange({ ...choice, withInstructions: event.currentTarget.checked })}
      />
      <Available assistantId={choice.assistantId} format={format} />
    </>
  );
}

function Available({ assistantId, format }: { assistantId: number | null; format: DatasetFormat }) {
  const available = useQuery(availableQuery(assistantId));
  if (available.isError && !available.data)
    return (
      <RetryNotice tone="destructive" title="Failed to count your rated answers" query={available}>
        {errorText(available.error)}
      </RetryNotice>
    );
  if (!available.data) return <p className="h-11 text-muted-foreground text-sm">Counting your rated answers…</p>;
  const { good, bad, corrected } = available.data;
  const count = available.data[format];
  const rated = `${formatCount(good, 'answer')} rated good, ${formatCount(bad, 'answer')} rated bad, ${formatCount(corrected, 'answer')} corrected.`;
  return (
    <Notice
      tone={count === 0 ? 'warning' : 'info'}
      title={count === 0 ? 'Nothing to gather yet' : formatCount(count, 'example')}
    >
      {rated}
      {count === 0 &&
        (format === 'chat'
          ? ' Rate answers as good in a chat, or improve them.'
          : ' Improve answers in a chat, or rate one answer to a question as good and another one as bad.')}
    </Notice>
  );
}
