import type { BaseModel, TrainingMethod } from '@roster/contracts/fine-tuning/jobs';
import { truncate } from '@roster/contracts/text/truncate';
import { useQuery } from '@tanstack/react-query';
import { Controller } from 'react-hook-form';
import { trainingPlacesQuery } from '#web/api/fine-tuning.ts';
import { modelName } from '#web/api/model-names.ts';
import { useConnectionNames } from '#web/api/use-model-name.ts';
import { formatCost, formatLongDate } from '#web/lib/text/format.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { RadioGroup } from '#web/ui/forms/radio-group.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import type { JobFormState } from './job-form.ts';

const descriptionCut = 30;
/** Shortened as specified; the full text is below the field. */
const cut = (description: string) =>
  description.length > descriptionCut ? `${truncate(description, descriptionCut).trimEnd()}…` : description;

type BaseModelFieldProps = { form: JobFormState; baseModels: Record<string, BaseModel> };

export function BaseModelField({ form, baseModels }: BaseModelFieldProps) {
  const id = form.watch('baseModel');
  const model = Object.hasOwn(baseModels, id) ? baseModels[id] : undefined;
  const known = Object.entries(baseModels);
  useConnectionNames(...Object.keys(baseModels));
  return (
    <>
      <Controller
        control={form.control}
        name="baseModel"
        render={({ field, fieldState }) => (
          <Field
            label="Base model"
            required
            hint={model ? <ModelHint model={model} /> : known.length === 0 && 'Your key cannot train any model.'}
            error={fieldState.error?.message}
          >
            {(control) => (
              <Select
                {...control}
                {...field}
                title={model?.description}
                onChange={(event) => {
                  field.onChange(event);
                  const chosen = baseModels[event.currentTarget.value];
                  const method = form.getValues('method');
                  if (chosen && !chosen.methods.includes(method))
                    form.setValue('method', chosen.methods[0] ?? 'supervised', { shouldDirty: true });
                }}
              >
                <option value="">Choose a model</option>
                {known.map(([option, { description }]) => (
                  <option key={option} value={option} title={description}>
                    {description ? `${modelName(option)} · ${cut(description)}` : modelName(option)}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
      />
      {model?.shutdownDate && (
        <Notice tone="warning" className="-mt-2.5 text-sm">
          {`${modelName(id)} retires on ${formatLongDate(model.shutdownDate)}; models fine-tuned from it stop working too.`}
        </Notice>
      )}
      <NotTrainedAt />
      <MethodField form={form} model={model} />
    </>
  );
}

/** Connections whose models are missing above, with the reasons. */
function NotTrainedAt() {
  const { data } = useQuery(trainingPlacesQuery);
  const others = data?.items.filter(({ serves }) => !serves) ?? [];
  if (others.length === 0) return null;
  return (
    <details className="-mt-2.5 text-muted-foreground text-sm">
      <summary className="cursor-pointer">
        {others.length === 1 ? 'One connection does' : `${others.length} connections do`} not train models
      </summary>
      <ul className="mt-1 grid gap-1 ps-4">
        {others.map(({ id, name, reason }) => (
          <li key={id} className="wrap-anywhere">
            <bdi className="font-medium">{name}</bdi>
            {reason && <>: {reason}</>}
          </li>
        ))}
      </ul>
    </details>
  );
}

function ModelHint({ model: { description, training_cost_per_1k, priceAsOf } }: { model: BaseModel }) {
  const price =
    training_cost_per_1k === null
      ? 'No price known.'
      : `${formatCost(training_cost_per_1k)} per 1,000 tokens of training${priceAsOf ? `, as of ${formatLongDate(priceAsOf)}` : ''}.`;
  return (
    <>
      {description && `${description.replace(/\.$/, '')}. `}
      {price}
    </>
  );
}

const methodOptions: { value: TrainingMethod; label: string; description: string }[] = [
  { value: 'supervised', label: 'Supervised', description: 'Learns from examples of good answers.' },
  { value: 'dpo', label: 'Preference (DPO)', description: 'Learns from pairs of a better and a worse answer.' },
];

function MethodField({ form, model }: { form: JobFormState; model: BaseModel | undefined }) {
  const offered = methodOptions.filter(({ value }) => !model || model.methods.includes(value));
  return (
    <Controller
      control={form.control}
      name="method"
      render={({ field }) => (
        <RadioGroup
          label="Method"
          layout="row"
          value={field.value}
          onValueChange={field.onChange}
          options={offered.length > 0 ? offered : methodOptions.slice(0, 1)}
        />
      )}
    />
  );
}
