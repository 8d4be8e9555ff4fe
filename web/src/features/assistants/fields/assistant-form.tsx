import { descriptionLimit, instructionsLimit, nameLimit } from '@roster/contracts/assistants/assistants';
import type { ModelList } from '@roster/contracts/models/models';
import { codePointLength } from '@roster/contracts/text/length';
import { InsertVariable, useInsertion, VariableNotes } from '#web/components/instructions/instruction-variables.tsx';
import { formatNumber } from '#web/lib/text/format.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { AnswerFormat } from './answer-format.tsx';
import { AvatarFields } from './avatar-fields.tsx';
import { EarlierMessagesField } from './earlier-messages-field.tsx';
import { ModelFields } from './model-fields.tsx';
import { StarterField } from './starter-field.tsx';
import { ToolFields } from './tool-fields.tsx';
import { type AssistantForm, useFormValues } from './use-assistant-form.ts';

export function NameField({ form }: { form: AssistantForm }) {
  const name = form.watch('name');
  return (
    <Field
      label="Name"
      required
      error={form.formState.errors.name?.message}
      counter={{ value: codePointLength(name), max: nameLimit }}
    >
      {(control) => <Input {...control} {...form.register('name')} autoComplete="off" data-autofocus />}
    </Field>
  );
}

export function DescriptionField({ form }: { form: AssistantForm }) {
  const description = form.watch('description') ?? '';
  return (
    <Field
      label="Description"
      hint="What this assistant is for."
      error={form.formState.errors.description?.message}
      counter={{ value: codePointLength(description), max: descriptionLimit }}
    >
      {(control) => <Textarea {...control} {...form.register('description')} rows={2} />}
    </Field>
  );
}

type AssistantFieldsProps = { form: AssistantForm; models: ModelList | undefined };

/** Fields shared by the forms for new and existing assistants. */
export function AssistantFields({ form, models }: AssistantFieldsProps) {
  return (
    <div className="grid gap-5">
      <NameField form={form} />
      <DescriptionField form={form} />
      <AvatarFields form={form} />
      <ModelFields form={form} models={models} />
      <Instructions form={form} />
      <StarterField form={form} />
      <ToolFields form={form} />
      <AnswerFormat form={form} />
      <EarlierMessagesField form={form} />
    </div>
  );
}

function Instructions({ form }: { form: AssistantForm }) {
  const { errors, defaultValues } = form.formState;
  const text = form.watch('instructions') ?? '';
  const stored = codePointLength(defaultValues?.instructions ?? '');
  const values = useFormValues(form);
  const { field, insert } = useInsertion(form.register('instructions'));
  return (
    <div className="grid gap-3">
      <Field
        label="Instructions"
        hint={
          stored > instructionsLimit
            ? `Imported with ${formatNumber(stored)} characters. You can keep or shorten them.`
            : 'How it should behave. Sent with every message.'
        }
        error={errors.instructions?.message}
        counter={{ value: codePointLength(text), max: Math.max(instructionsLimit, stored) }}
        aside={<InsertVariable values={values} onInsert={insert} />}
      >
        {(control) => <Textarea {...control} {...field} rows={9} />}
      </Field>
      <VariableNotes text={text} values={values} />
    </div>
  );
}
