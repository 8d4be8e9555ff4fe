import { type Model, type ModelList, ReasoningEffort } from '@roster/contracts/models/models';
import { useQuery } from '@tanstack/react-query';
import { Controller } from 'react-hook-form';
import { modelName } from '#web/api/model-names.ts';
import { findModel } from '#web/api/models.ts';
import { retirementQuery } from '#web/api/retirement.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { ModelSelect } from '#web/components/model-select.tsx';
import { formatCost, formatLongDate } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { Slider } from '#web/ui/forms/slider.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { effortNames } from './effort-names.ts';
import { modelProblem, temperatureSupport } from './model-choice.ts';
import type { AssistantForm } from './use-assistant-form.ts';

type ModelFieldsProps = { form: AssistantForm; models: ModelList | undefined };

/** The model and what it supports: temperature, reasoning effort, or neither. */
export function ModelFields({ form, models }: ModelFieldsProps) {
  const id = form.watch('model');
  const effort = form.watch('reasoningEffort') ?? null;
  const model = findModel(models, id);
  const { data: ending } = useQuery(retirementQuery);
  const trouble = modelProblem(id, models, ending);
  // The new model may not accept the effort.
  const forgetEffort = () => form.setValue('reasoningEffort', null, { shouldDirty: true });
  const choose = (successor: string) => {
    form.setValue('model', successor, { shouldDirty: true, shouldValidate: true });
    forgetEffort();
    form.setFocus('model');
  };
  return (
    <>
      <ModelField form={form} models={models} hasTrouble={trouble !== undefined} onChange={forgetEffort} />
      {trouble && <ModelTrouble trouble={trouble} onChoose={choose} />}
      <FallbackField form={form} />
      {model && model.efforts.length > 0 && <EffortField form={form} efforts={model.efforts} />}
      <TemperatureField form={form} use={temperatureSupport(model, effort)} model={id} />
    </>
  );
}

type ModelFieldProps = ModelFieldsProps & {
  /** A message below the field replaces its hint. */
  hasTrouble: boolean;
  onChange: () => void;
};

function ModelField({ form, models, hasTrouble, onChange }: ModelFieldProps) {
  const id = form.watch('model');
  const model = findModel(models, id);
  return (
    <Controller
      control={form.control}
      name="model"
      render={({ field, fieldState }) => (
        <Field label="Model" hint={hasTrouble ? undefined : modelHint(model, models)} error={fieldState.error?.message}>
          {(control) => (
            <ModelSelect
              control={control}
              {...field}
              onChange={(chosen) => {
                field.onChange(chosen);
                onChange();
              }}
            />
          )}
        </Field>
      )}
    />
  );
}

function FallbackField({ form }: { form: AssistantForm }) {
  const model = form.watch('model');
  return (
    <Controller
      control={form.control}
      name="fallbackModel"
      render={({ field, fieldState }) => (
        <Field
          label="Fallback"
          hint="Used if the model is down, rate-limited or no longer available. The answer says so."
          error={fieldState.error?.message}
        >
          {(control) => (
            <ModelSelect
              control={control}
              {...field}
              value={field.value ?? ''}
              empty="None"
              without={[model]}
              onChange={(chosen) => field.onChange(chosen === '' ? null : chosen)}
            />
          )}
        </Field>
      )}
    />
  );
}

type ModelTroubleProps = {
  trouble: NonNullable<ReturnType<typeof modelProblem>>;
  onChoose: (successor: string) => void;
};

function ModelTrouble({ trouble: { severity, text, successor }, onChoose }: ModelTroubleProps) {
  return (
    <Notice
      tone={severity}
      className="-mt-2.5 text-sm"
      action={
        successor && (
          <Button size="sm" onClick={() => onChoose(successor)}>
            Use <ModelName model={successor} />
          </Button>
        )
      }
    >
      {text}
      {successor && ` Its successor is ${modelName(successor)}.`}
    </Notice>
  );
}

function modelHint(model: Model | undefined, models: ModelList | undefined): string | undefined {
  if (!models || models.source === 'unknown') return models?.notice ?? undefined;
  if (!model?.price) return 'No price known.';
  const { input, output, asOf, family } = model.price;
  const borrowed =
    family === null ? '' : ` This is the price of ${modelName(family)}; you can set a custom one in Analytics.`;
  return `${formatCost(input)} in, ${formatCost(output)} out per million tokens; estimate of ${formatLongDate(asOf)}.${borrowed}`;
}

function EffortField({ form, efforts }: { form: AssistantForm; efforts: readonly ReasoningEffort[] }) {
  return (
    <Controller
      control={form.control}
      name="reasoningEffort"
      render={({ field, fieldState }) => (
        <Field
          label="Reasoning effort"
          hint="How much the model thinks before answering. Higher effort takes longer and costs more."
          error={fieldState.error?.message}
        >
          {(control) => (
            <Select
              {...control}
              ref={field.ref}
              value={field.value ?? ''}
              onBlur={field.onBlur}
              onChange={(event) =>
                field.onChange(ReasoningEffort.nullable().catch(null).parse(event.currentTarget.value))
              }
            >
              <option value="">Model default</option>
              {efforts.map((effort) => (
                <option key={effort} value={effort}>
                  {effortNames[effort]}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
    />
  );
}

type TemperatureFieldProps = { form: AssistantForm; use: ReturnType<typeof temperatureSupport>; model: string };

function TemperatureField({ form, use, model }: TemperatureFieldProps) {
  if (use !== 'used') {
    return (
      <div>
        <p className="mb-1.5 font-medium">Temperature</p>
        <p className="text-muted-foreground">
          {use === 'unused'
            ? `${modelName(model)} does not accept a temperature.`
            : `${modelName(model)} accepts a temperature only when reasoning effort is None.`}
        </p>
      </div>
    );
  }
  return (
    <Controller
      control={form.control}
      name="temperature"
      render={({ field, fieldState }) => (
        <Field
          label="Temperature"
          hint="Lower is more predictable, higher is more varied."
          error={fieldState.error?.message}
          aside={<output className="font-medium">{(field.value ?? 0).toFixed(1)}</output>}
        >
          {(control) => (
            <Slider
              {...control}
              ref={field.ref}
              name={field.name}
              onBlur={field.onBlur}
              value={field.value ?? 0}
              onValueChange={field.onChange}
              min={0}
              max={1}
              step={0.1}
            />
          )}
        </Field>
      )}
    />
  );
}
