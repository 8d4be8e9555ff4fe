import { type AssistantDraft, assistantDefaults, nameLimit } from '@roster/contracts/assistants/assistants';
import { datasets, type ExampleInstructions } from '@roster/contracts/fine-tuning/datasets';
import type { ModelList } from '@roster/contracts/models/models';
import { truncate } from '@roster/contracts/text/truncate';
import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useCreateAssistant } from '#web/api/assistant-changes.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { modelsQuery } from '#web/api/models.ts';
import { UnsavedChanges } from '#web/components/unsaved-changes.tsx';
import { call, errorText } from '#web/lib/api-client.ts';
import { showFormFailure } from '#web/lib/form-errors.ts';
import { formatCount, formatNumber } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { AssistantFields } from './fields/assistant-form.tsx';
import { useNewAssistantForm } from './fields/use-assistant-form.ts';

/** Instructions generated from a dataset's examples when the form is opened. */
const exampleInstructionsQuery = (datasetId: number | undefined) =>
  queryOptions({
    queryKey: ['fine-tuning', 'datasets', datasetId, 'instructions'],
    queryFn:
      datasetId === undefined
        ? skipToken
        : ({ signal }) => call(datasets.instructions, { params: { id: datasetId } }, signal),
    refetchOnMount: 'always',
  });

/** Initial values, if another page supplies them. */
export type AssistantStart = {
  name: string | undefined;
  model: string | undefined;
  /** Id of the dataset whose examples become the instructions. */
  datasetId: number | undefined;
};

type CreateAssistantProps = {
  start: AssistantStart;
  /** Returns to the list. */
  onDone: () => void;
};

export function CreateAssistant({ start, onDone }: CreateAssistantProps) {
  // The form preselects a model, so it waits for the list; if that fails, it uses the specified models.
  const models = useQuery(modelsQuery);
  const examples = useQuery(exampleInstructionsQuery(start.datasetId));
  if (models.isPending || (start.datasetId !== undefined && examples.isPending))
    return <SpinnerPanel label="Loading models" className="min-h-64" />;
  return <CreateForm models={models.data} start={start} examples={examples} onDone={onDone} />;
}

type CreateFormProps = CreateAssistantProps & {
  models: ModelList | undefined;
  examples: { data: ExampleInstructions | undefined; error: Error | null };
};

function CreateForm({ models, start, examples, onDone }: CreateFormProps) {
  const create = useCreateAssistant();
  const { reason } = useEditAccess();
  const form = useNewAssistantForm({
    ...assistantDefaults,
    name: truncate(start.name ?? '', nameLimit),
    model: start.model ?? models?.defaultModel ?? 'gpt-4o',
    ...(examples.data && { instructions: examples.data.instructions }),
  });

  // In an effect: the guard for unsaved changes must be gone before navigating.
  useEffect(() => {
    if (create.isSuccess) onDone();
  }, [create.isSuccess, onDone]);

  const submit = (draft: AssistantDraft) =>
    create.mutate(draft, {
      onSuccess: ({ name }) => toast({ title: 'Assistant created', description: `${name} is ready to chat.` }),
      onError: showFormFailure(form, 'Failed to create assistant', 'An error occurred while creating your assistant'),
    });

  return (
    <Card>
      <CardHeader title="Create Assistant" description="Runs on the provider’s current API with your own key." />
      <CardBody>
        <form onSubmit={form.handleSubmit(submit)} noValidate>
          <FromExamples {...examples} />
          <AssistantFields form={form} models={models} />
          <p className="mt-5 text-muted-foreground text-sm">
            After creating it, choose Edit to add files and connected tools.
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

/** Notes that the instructions come from examples and should be reviewed. */
function FromExamples({ data, error }: CreateFormProps['examples']) {
  if (error)
    return (
      <Notice tone="warning" title="Failed to load the examples" className="mb-5">
        {errorText(error)}
      </Notice>
    );
  if (!data) return null;
  const { examples, of, dataset } = data;
  return (
    <Notice className="mb-5">
      {examples === 0 ? (
        <>
          No example of <bdi>{dataset.name}</bdi> is short enough for the instructions.
        </>
      ) : (
        <>
          The instructions contain {formatNumber(examples)} of {formatCount(of, 'example')} of <bdi>{dataset.name}</bdi>
          , the best ones that fit. Review them before you create the assistant.
        </>
      )}
    </Notice>
  );
}
