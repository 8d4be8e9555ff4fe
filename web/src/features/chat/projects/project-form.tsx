import {
  type Project,
  ProjectDraft,
  projectColors,
  projectIcons,
  projectInstructionsLimit,
} from '@roster/contracts/projects/projects';
import { codePointLength } from '@roster/contracts/text/length';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { flushSync } from 'react-dom';
import type { UseFormReturn } from 'react-hook-form';
import type { z } from 'zod';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useCreateProject, useUpdateProject } from '#web/api/projects.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import {
  InsertVariable,
  useInsertion,
  useInstructionValues,
  VariableNotes,
} from '#web/components/instructions/instruction-variables.tsx';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { toast } from '#web/lib/toast.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { AnsweredBy } from './answered-by.tsx';
import { ProjectTile } from './project-icon.tsx';

type Fields = z.input<typeof ProjectDraft>;
type Form = UseFormReturn<Fields, unknown, ProjectDraft>;
type Closing = { onClose: () => void };

const empty = {
  name: '',
  icon: 'folder',
  color: 'blue',
  instructions: '',
  assistantId: null,
  model: null,
} satisfies ProjectDraft;

/** `onCreated` replaces the toast. */
export function CreateProjectDialog({ onClose, onCreated }: Closing & { onCreated?: (project: Project) => void }) {
  const create = useCreateProject();
  return (
    <ProjectForm
      title="New Project"
      action={['Create Project', 'Creating...']}
      initial={empty}
      saving={create}
      onSave={async (draft) => {
        const project = await create.mutateAsync(draft);
        if (!onCreated) toast({ title: 'Project created', description: project.name });
        return () => onCreated?.(project);
      }}
      onClose={onClose}
    />
  );
}

export function EditProjectDialog({ project, onClose }: Closing & { project: Project }) {
  const update = useUpdateProject(project.id);
  const { name, icon, color, instructions, assistantId, model } = project;
  return (
    <ProjectForm
      title="Edit Project"
      action={['Save Changes', 'Saving...']}
      initial={{ name, icon, color, instructions, assistantId, model }}
      saving={update}
      onSave={async (draft) => {
        await update.mutateAsync(draft);
        toast({ title: 'Project saved', description: draft.name });
        return undefined;
      }}
      onClose={onClose}
    />
  );
}

type ProjectFormProps = Closing & {
  title: string;
  action: [label: string, pendingLabel: string];
  initial: ProjectDraft;
  saving: { isPending: boolean; isSuccess: boolean; error: Error | null };
  /** May return something to do after the dialog has closed. */
  onSave: (draft: ProjectDraft) => Promise<(() => void) | undefined>;
};

function ProjectForm({ title, action, initial, saving, onSave, onClose }: ProjectFormProps) {
  const form: Form = useSchemaForm(ProjectDraft, initial);
  const { isDirty, errors } = form.formState;
  const submit = async (draft: ProjectDraft) => {
    try {
      const after = await onSave(draft);
      // Now, because the open dialog would ask before `after` leaves the page.
      flushSync(onClose);
      after?.();
    } catch (error) {
      // The dialog shows the error; what was typed stays.
      showFieldErrors(form, error);
    }
  };
  return (
    <FormDialog
      title={title}
      size="lg"
      action={action}
      busy={saving.isPending}
      onSubmit={form.handleSubmit(submit)}
      onClose={onClose}
      failed={{ title: 'Failed to save the project', error: saving.error }}
      unsaved={{
        when: isDirty && !saving.isSuccess,
        what: 'this project',
        question: { description: 'Your changes to this project will be lost.' },
      }}
      className="grid gap-5"
    >
      <Field label="Name" required error={errors.name?.message}>
        {(control) => <Input {...control} {...form.register('name')} data-autofocus autoComplete="off" />}
      </Field>
      <Look form={form} />
      <Instructions form={form} />
      <AnsweredBy
        assistantId={form.watch('assistantId') ?? null}
        model={form.watch('model') ?? null}
        error={errors.assistantId?.message ?? errors.model?.message}
        onChoose={(chosen) => {
          form.setValue('assistantId', chosen.assistantId, { shouldDirty: true });
          form.setValue('model', chosen.model, { shouldDirty: true });
        }}
      />
    </FormDialog>
  );
}

function Instructions({ form }: { form: Form }) {
  const [text = '', assistantId, model] = form.watch(['instructions', 'assistantId', 'model']);
  const assistant = useQuery(assistantsQuery).data?.find(({ id }) => id === assistantId);
  const values = useInstructionValues(assistant?.name ?? null, model ?? assistant?.model ?? null);
  const { field, insert } = useInsertion(form.register('instructions'));
  return (
    <div className="grid gap-3">
      <Field
        label="Instructions"
        error={form.formState.errors.instructions?.message}
        hint="Added to every answer in this project, after the assistant’s own."
        counter={{ value: codePointLength(text), max: projectInstructionsLimit }}
        aside={<InsertVariable values={values} onInsert={insert} />}
      >
        {(control) => <Textarea {...control} {...field} dir="auto" rows={5} className="max-h-[40dvh]" />}
      </Field>
      <VariableNotes text={text} values={values} />
    </div>
  );
}

function Look({ form }: { form: Form }) {
  const [icon = 'folder', color = 'gray'] = form.watch(['icon', 'color']);
  return (
    <div className="grid gap-3">
      <Choices
        label="Icon"
        options={projectIcons}
        value={icon}
        onChange={(next) => form.setValue('icon', next, { shouldDirty: true })}
        look={(option) => <ProjectTile icon={option} color={color} className="size-8" />}
      />
      <Choices
        label="Color"
        options={projectColors}
        value={color}
        onChange={(next) => form.setValue('color', next, { shouldDirty: true })}
        look={(option) => <ProjectTile icon={icon} color={option} className="size-8" />}
      />
    </div>
  );
}

type ChoicesProps<Value extends string> = {
  label: string;
  options: readonly Value[];
  value: Value;
  onChange: (value: Value) => void;
  look: (value: Value) => ReactNode;
};

/** Radio group of icons or colors. */
function Choices<Value extends string>({ label, options, value, onChange, look }: ChoicesProps<Value>) {
  const group = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="flex max-sm:grid max-sm:grid-cols-9">
        {options.map((option) => (
          <label
            key={option}
            title={option}
            className="relative flex h-10 w-10 items-center max-sm:w-auto justify-center rounded-md border border-transparent hover:bg-hover has-checked:border-primary has-focus-visible:outline-2 has-focus-visible:outline-ring"
          >
            <input
              type="radio"
              name={group}
              aria-label={option}
              checked={option === value}
              onChange={() => onChange(option)}
              className="absolute inset-0 cursor-pointer opacity-0"
            />
            {look(option)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
