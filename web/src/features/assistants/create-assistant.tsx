import { type AssistantDraft, assistantDefaults } from '@roster/contracts/assistants';
import type { ModelList } from '@roster/contracts/models';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useCreateAssistant } from '#web/data/assistant-changes.ts';
import { useEditing } from '#web/data/current-user.ts';
import { modelsQuery } from '#web/data/models.ts';
import { tellFormFailure } from '#web/lib/form-errors.ts';
import { UnsavedChanges } from '#web/parts/unsaved-changes.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { SpinnerPanel } from '#web/ui/spinner.tsx';
import { toast } from '#web/ui/toast.tsx';
import { AssistantFields } from './assistant-form.tsx';
import { useDraftForm } from './use-assistant-form.ts';

/** `onDone`: back to the list. */
export function CreateAssistant({ onDone }: { onDone: () => void }) {
  // The form starts with a model of the list, so it waits for the list; without one, the specified models do.
  const models = useQuery(modelsQuery);
  if (models.isPending) return <SpinnerPanel label="Loading models" className="min-h-64" />;
  return <CreateForm models={models.data} onDone={onDone} />;
}

function CreateForm({ models, onDone }: { models: ModelList | undefined; onDone: () => void }) {
  const create = useCreateAssistant();
  const { reason } = useEditing();
  const form = useDraftForm({
    ...assistantDefaults,
    name: '',
    model: models?.defaultModel ?? 'gpt-4o',
  });

  // In an effect, because the question about unsaved changes must have gone before the page does.
  useEffect(() => {
    if (create.isSuccess) onDone();
  }, [create.isSuccess, onDone]);

  const submit = (draft: AssistantDraft) =>
    create.mutate(draft, {
      onSuccess: ({ name }) => toast({ title: 'Assistant created', description: `${name} is ready to chat.` }),
      onError: tellFormFailure(form, 'Failed to create assistant', 'An error occurred while creating your assistant'),
    });

  return (
    <Card>
      <CardHeader title="Create Assistant" description="It runs on the provider’s current API, with your own key." />
      <CardBody>
        <form onSubmit={form.handleSubmit(submit)} noValidate>
          <AssistantFields form={form} models={models} />
          <p className="mt-5 text-muted-foreground text-sm">
            Files that it knows from, and tools of tool servers, are added once it is created, with Edit in the list.
          </p>
          <div className="mt-6 flex justify-end gap-2">
            <Button onClick={onDone}>Cancel</Button>
            <Button
              type="submit"
              variant="primary"
              busy={create.isPending}
              pendingLabel="Creating..."
              disabledReason={reason}
            >
              Create Assistant
            </Button>
          </div>
        </form>
      </CardBody>
      <UnsavedChanges when={form.formState.isDirty && !create.isSuccess} what="this assistant" />
    </Card>
  );
}
