import { type Prompt, PromptDraft, promptTextLimit } from '@roster/contracts/prompts/prompts';
import { codePointLength } from '@roster/contracts/text/length';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { promptQuery, useCreatePrompt, useUpdatePrompt } from '#web/api/prompts.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { PromptPreview } from './prompt-preview.tsx';

type Closing = { onClose: () => void };

export function CreatePromptDialog({ onClose }: Closing) {
  const create = useCreatePrompt();
  return (
    <PromptForm
      title="New Prompt"
      action={['Save Prompt', 'Saving...']}
      initial={{ name: '', title: '', text: '' }}
      saving={create}
      onSave={async (draft) => {
        await create.mutateAsync(draft);
      }}
      onClose={onClose}
    />
  );
}

export function EditPromptDialog({ id, onClose }: Closing & { id: number }) {
  const { data, error, isFetching, refetch } = useQuery(promptQuery(id));
  if (data) return <EditForm prompt={data} onClose={onClose} />;
  return (
    <Dialog open onOpenChange={onClose} title="Edit Prompt" size="lg">
      {error ? (
        <ErrorState
          title="Failed to load the prompt"
          message={errorText(error)}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : (
        <SpinnerPanel label="Loading the prompt" className="min-h-64" />
      )}
    </Dialog>
  );
}

function EditForm({ prompt, onClose }: Closing & { prompt: Prompt }) {
  const update = useUpdatePrompt(prompt.id);
  // As it was opened: a newer version must be refused, not overwritten.
  const [{ name, title, text, updatedAt }] = useState(prompt);
  return (
    <PromptForm
      title="Edit Prompt"
      action={['Save Changes', 'Saving...']}
      initial={{ name, title, text }}
      saving={update}
      onSave={async (draft) => {
        await update.mutateAsync({ ...draft, updatedAt });
      }}
      onClose={onClose}
    />
  );
}

type PromptFormProps = Closing & {
  title: string;
  action: [label: string, pendingLabel: string];
  initial: PromptDraft;
  saving: { isPending: boolean; isSuccess: boolean; error: Error | null };
  onSave: (draft: PromptDraft) => Promise<void>;
};

function PromptForm({ title, action, initial, saving, onSave, onClose }: PromptFormProps) {
  const form = useSchemaForm(PromptDraft, initial);
  const { isDirty, errors } = form.formState;
  const submit = async (draft: PromptDraft) => {
    try {
      await onSave(draft);
    } catch (error) {
      // The dialog shows the error; what was typed stays.
      return void showFieldErrors(form, error);
    }
    onClose();
    toast({ title: 'Prompt saved', description: `Type /${draft.name} in a message to insert it.` });
  };
  return (
    <FormDialog
      title={title}
      size="lg"
      action={action}
      busy={saving.isPending}
      onSubmit={form.handleSubmit(submit)}
      onClose={onClose}
      failed={{ title: 'Failed to save the prompt', error: saving.error }}
      unsaved={{
        when: isDirty && !saving.isSuccess,
        what: 'this prompt',
        question: { description: 'Your changes to this prompt will be lost.' },
      }}
      className="grid gap-5"
    >
      <div className="grid items-start gap-5 sm:grid-cols-2">
        <Field label="Title" required error={errors.title?.message}>
          {(control) => <Input {...control} {...form.register('title')} data-autofocus autoComplete="off" />}
        </Field>
        <Field
          label="Name"
          required
          hint="Letters, digits and hyphens: what you type after the slash."
          error={errors.name?.message}
        >
          {(control) => (
            <Input
              {...control}
              {...form.register('name')}
              placeholder="weekly-report"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
            />
          )}
        </Field>
      </div>
      <TextField form={form} />
    </FormDialog>
  );
}

function TextField({ form }: { form: UseFormReturn<PromptDraft, unknown, PromptDraft> }) {
  const text = form.watch('text');
  return (
    <div className="grid gap-2">
      <Field
        label="Text"
        required
        error={form.formState.errors.text?.message}
        hint="Variables: {{topic}}, {{topic=default}}, {{tone: friendly | formal}}, {{day: date}}"
        counter={{ value: codePointLength(text), max: promptTextLimit }}
      >
        {(control) => <Textarea {...control} {...form.register('text')} rows={8} className="max-h-[40dvh]" />}
      </Field>
      <PromptPreview text={text} />
    </div>
  );
}
