import type { ModelList } from '@roster/contracts/models/models';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Controller, type UseFormReturn } from 'react-hook-form';
import { modelName } from '#web/api/model-names.ts';
import { findModel, modelsQuery } from '#web/api/models.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { ModelSelect } from '#web/components/model-select.tsx';
import { problemsSchema, useSchemaForm } from '#web/lib/schema-form.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { RadioGroup } from '#web/ui/forms/radio-group.tsx';
import { Slider } from '#web/ui/forms/slider.tsx';
import { Switch } from '#web/ui/forms/switch.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { type ComparedModels, type DraftFields, problemsOf, toDraft } from './draft.ts';
import { FilePrompts } from './file-prompts.tsx';
import { baseOf, isOffered, tunedGroups, tunedIds } from './shared/model-options.ts';
import { tunedModelsQuery, useCreateComparison } from './shared/queries.ts';
import { TypedPrompts } from './typed-prompts.tsx';

const beginWith = ({ tunedModel, baseModel = '', fileId }: ComparedModels): DraftFields => ({
  ...empty,
  tunedModel,
  baseModel,
  ...(fileId !== undefined && { source: 'file', fileId: String(fileId) }),
});

const empty: DraftFields = {
  tunedModel: '',
  baseModel: '',
  source: 'typed',
  prompts: [{ key: 1, text: '' }],
  instructions: '',
  fileId: '',
  count: '10',
  temperature: null,
};

type NewComparisonDialogProps = { begin: ComparedModels | undefined; onClose: () => void };

const schema = problemsSchema(problemsOf);
type DraftForm = UseFormReturn<DraftFields>;
type FieldsProps = { form: DraftForm };

function useComparisonForm(begin: ComparedModels | undefined) {
  const form = useSchemaForm(schema, begin ? beginWith(begin) : empty);
  const { mutate, isPending, error } = useCreateComparison();
  const navigate = useNavigate();
  const submit = form.handleSubmit((fields) =>
    mutate(toDraft(fields), {
      onSuccess: ({ id }) => void navigate({ to: '/fine-tuning/comparisons/$id', params: { id } }),
    }),
  );
  return { form, submit, isPending, error };
}

export function NewComparisonDialog({ begin, onClose }: NewComparisonDialogProps) {
  const { form, submit, isPending, error } = useComparisonForm(begin);
  const [tunedModel, baseModel, source, temperature] = form.watch(['tunedModel', 'baseModel', 'source', 'temperature']);
  const models = useQuery(modelsQuery).data;
  const without = [tunedModel, baseModel].filter((id) => {
    const use = findModel(models, id)?.temperature;
    return use === 'no' || use === 'conditional';
  });
  return (
    <FormDialog
      title="New comparison"
      description="You can review the prompts before anything is sent."
      action={['Prepare comparison', 'Preparing...']}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'Failed to prepare the comparison', error, fallback: 'Something went wrong.' }}
      className="space-y-5"
    >
      <ModelPair form={form} models={models} />
      <RadioGroup
        label="Where the prompts come from"
        layout="row"
        value={source}
        onValueChange={(next) => form.setValue('source', next)}
        options={[
          { value: 'typed', label: 'Typed' },
          { value: 'file', label: 'From a JSONL file' },
        ]}
      />
      {source === 'typed' ? <TypedFields form={form} /> : <FilePrompts form={form} />}
      <TemperatureField value={temperature} without={without} onChange={(next) => form.setValue('temperature', next)} />
    </FormDialog>
  );
}

/** The two models; choosing a tuned one preselects its base. */
function ModelPair({ form, models }: FieldsProps & { models: ModelList | undefined }) {
  // If fine-tuning is not available, any two models can still be compared.
  const tuned = useQuery({ ...tunedModelsQuery, retry: false }).data ?? [];
  const chooseTuned = (tunedModel: string) => {
    const base = baseOf(tunedModel, tuned);
    form.setValue('tunedModel', tunedModel);
    if (base && isOffered(models, tuned, base)) form.setValue('baseModel', base);
  };
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ModelField form={form} label="Fine-tuned model" name="tunedModel" tuned={tuned} onChange={chooseTuned} />
      <ModelField
        form={form}
        label="Base model"
        name="baseModel"
        tuned={tuned}
        onChange={(baseModel) => form.setValue('baseModel', baseModel)}
      />
    </div>
  );
}

function TypedFields({ form }: FieldsProps) {
  return (
    <>
      <Controller
        control={form.control}
        name="prompts"
        render={({ field: { ref, value, onChange }, fieldState }) => (
          <TypedPrompts ref={ref} prompts={value} onChange={onChange} error={fieldState.error?.message} />
        )}
      />
      <Field
        label="Instructions"
        hint="Sent to both models before each prompt."
        error={form.formState.errors.instructions?.message}
      >
        {(control) => <Textarea {...control} {...form.register('instructions')} rows={2} />}
      </Field>
    </>
  );
}

type ModelFieldProps = FieldsProps & {
  label: string;
  name: 'tunedModel' | 'baseModel';
  tuned: Parameters<typeof tunedGroups>[0];
  onChange: (model: string) => void;
};

function ModelField({ form, label, name, tuned, onChange }: ModelFieldProps) {
  return (
    <Controller
      control={form.control}
      name={name}
      render={({ field: { ref, value, onBlur }, fieldState }) => (
        <Field label={label} required error={fieldState.error?.message}>
          {(control) => (
            <ModelSelect
              control={control}
              ref={ref}
              name={name}
              onBlur={onBlur}
              extras={tunedGroups(tuned, value, onChange)}
              without={tunedIds(tuned)}
              value={value}
              empty="Choose a model"
              onChange={onChange}
            />
          )}
        </Field>
      )}
    />
  );
}

type TemperatureFieldProps = {
  value: number | null;
  /** Selected models without a temperature. */
  without: readonly string[];
  onChange: (temperature: number | null) => void;
};

function TemperatureField({ value, without, onChange }: TemperatureFieldProps) {
  return (
    <div className="space-y-3">
      <Switch
        label="Set the temperature"
        description="Off: each model’s own default."
        checked={value !== null}
        onChange={(event) => onChange(event.target.checked ? 1 : null)}
      />
      {value !== null && (
        <Field
          label="Temperature"
          hint={
            without.length > 0
              ? `${without.map(modelName).join(' and ')} ${without.length > 1 ? 'do' : 'does'} not accept a temperature; it is ignored.`
              : 'Lower is more predictable, higher is more varied.'
          }
          aside={<output className="font-medium">{value.toFixed(1)}</output>}
        >
          {(control) => <Slider {...control} value={value} onValueChange={onChange} min={0} max={2} step={0.1} />}
        </Field>
      )}
    </div>
  );
}
