import type { ModelList } from '@roster/contracts/models/models';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { findModel, modelsQuery } from '#web/api/models.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { ModelSelect } from '#web/components/model-select.tsx';
import { focusFirstProblem } from '#web/lib/form-errors.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { RadioGroup } from '#web/ui/forms/radio-group.tsx';
import { Slider } from '#web/ui/forms/slider.tsx';
import { Switch } from '#web/ui/forms/switch.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { type ComparedModels, type DraftFields, type DraftProblems, problemsOf, toDraft } from './draft.ts';
import { FilePrompts } from './file-prompts.tsx';
import { findBaseModel, type ModelGroup, modelGroups } from './model-options.ts';
import { tunedModelsQuery, useCreateComparison } from './queries.ts';
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

type Change = (changes: Partial<DraftFields>) => void;

/** What is entered, what is wrong with it, and how it is sent. */
function useComparisonForm(begin: ComparedModels | undefined) {
  const [fields, setFields] = useState(() => (begin ? beginWith(begin) : empty));
  const [problems, setProblems] = useState<DraftProblems>({});
  const { mutate, isPending, error } = useCreateComparison();
  const navigate = useNavigate();
  const change: Change = (changes) => setFields((now) => ({ ...now, ...changes }));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const found = problemsOf(fields);
    setProblems(found);
    if (focusFirstProblem(event.currentTarget, found)) return;
    mutate(toDraft(fields), {
      onSuccess: ({ id }) => void navigate({ to: '/fine-tuning/comparisons/$id', params: { id } }),
    });
  };
  return { fields, problems, change, submit, isPending, error };
}

export function NewComparisonDialog({ begin, onClose }: NewComparisonDialogProps) {
  const { fields, problems, change, submit, isPending, error } = useComparisonForm(begin);
  const models = useQuery(modelsQuery).data;
  const without = [fields.tunedModel, fields.baseModel].filter((id) => {
    const use = findModel(models?.models, id)?.temperature;
    return use === 'no' || use === 'conditional';
  });
  return (
    <FormDialog
      title="New comparison"
      description="Nothing is asked yet: you see the prompts first."
      action={['Prepare comparison', 'Preparing...']}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'The comparison was not prepared', error, fallback: 'Something went wrong on the way.' }}
      className="space-y-5"
    >
      <ModelPair fields={fields} problems={problems} models={models} onChange={change} />
      <RadioGroup
        label="Where the prompts come from"
        layout="row"
        value={fields.source}
        onValueChange={(source) => change({ source })}
        options={[
          { value: 'typed', label: 'Typed' },
          { value: 'file', label: 'From a JSONL file' },
        ]}
      />
      {fields.source === 'typed' ? (
        <TypedFields fields={fields} problems={problems} onChange={change} />
      ) : (
        <FilePrompts
          fileId={fields.fileId}
          onFile={(fileId) => change({ fileId })}
          count={fields.count}
          onCount={(count) => change({ count })}
          errors={problems}
        />
      )}
      <TemperatureField
        value={fields.temperature}
        without={without}
        onChange={(temperature) => change({ temperature })}
      />
    </FormDialog>
  );
}

type FieldsProps = { fields: DraftFields; problems: DraftProblems; onChange: Change };

/** The two models; a tuned one brings the model that it was tuned from. */
function ModelPair({ fields, problems, models, onChange }: FieldsProps & { models: ModelList | undefined }) {
  // Where training is not served there are none, and any two models can still be compared.
  const tuned = useQuery({ ...tunedModelsQuery, retry: false }).data ?? [];
  const groups = modelGroups(tuned, models);
  const isOffered = (id: string) => groups.some(({ options }) => options.some((option) => option.id === id));
  const chooseTuned = (tunedModel: string) => {
    const base = findBaseModel(tunedModel, tuned);
    onChange({ tunedModel, ...(base && isOffered(base) && { baseModel: base }) });
  };
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ModelField
        label="Tuned model"
        name="tunedModel"
        value={fields.tunedModel}
        list={models}
        groups={groups}
        error={problems.tunedModel}
        onChange={chooseTuned}
      />
      <ModelField
        label="Base model"
        name="baseModel"
        value={fields.baseModel}
        list={models}
        groups={groups}
        error={problems.baseModel}
        onChange={(baseModel) => onChange({ baseModel })}
      />
    </div>
  );
}

function TypedFields({ fields, problems, onChange }: FieldsProps) {
  return (
    <>
      <TypedPrompts prompts={fields.prompts} onChange={(prompts) => onChange({ prompts })} error={problems.prompt} />
      <Field label="Instructions" hint="What both models are told before each prompt." error={problems.instructions}>
        {(control) => (
          <Textarea
            {...control}
            name="instructions"
            rows={2}
            value={fields.instructions}
            onChange={(event) => onChange({ instructions: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

type ModelFieldProps = {
  label: string;
  name: string;
  value: string;
  list: ModelList | undefined;
  groups: readonly ModelGroup[];
  error: string | undefined;
  onChange: (model: string) => void;
};

function ModelField({ label, name, value, list, groups, error, onChange }: ModelFieldProps) {
  return (
    <Field label={label} required error={error}>
      {(control) => (
        <ModelSelect
          control={control}
          name={name}
          list={list}
          groups={groups}
          value={value}
          empty="Choose a model"
          onChange={onChange}
        />
      )}
    </Field>
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
              ? `${without.join(' and ')} ${without.length > 1 ? 'take' : 'takes'} no temperature; it is left out there.`
              : 'Lower is steadier, higher is more varied.'
          }
          aside={<output className="font-medium">{value.toFixed(1)}</output>}
        >
          {(control) => <Slider {...control} value={value} onValueChange={onChange} min={0} max={2} step={0.1} />}
        </Field>
      )}
    </div>
  );
}
