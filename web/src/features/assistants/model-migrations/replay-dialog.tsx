import type { Assistant } from '@roster/contracts/assistants/assistants';
import { type Replay, type ReplayableQuestion, replayQuestionLimit } from '@roster/contracts/comparisons/replays';
import type { ModelList } from '@roster/contracts/models/models';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { modelMigrationPlanQuery } from '#web/api/model-migrations.ts';
import { modelName } from '#web/api/model-names.ts';
import { findModel, isModelMissing } from '#web/api/models.ts';
import { useModelName } from '#web/api/use-model-name.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { RadioGroup } from '#web/ui/forms/radio-group.tsx';
import { Switch } from '#web/ui/forms/switch.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { NewModelField, useReplacementModel } from './replacement-model.tsx';
import { askedQuestionsQuery, usePrepareReplay } from './replay-queries.ts';
import { ReplayedQuestions } from './replayed-questions.tsx';
import { UnsupportedSettings } from './unsupported-settings.tsx';

type Baseline = 'stored' | 'asked';
export type ReplayDialogProps = { assistant: Assistant; successor: string | null; onClose: () => void };

/** Default selection: the newest questions that can be repeated in full. */
const usualChoice = (items: readonly ReplayableQuestion[]): ReadonlySet<number> =>
  new Set(
    items
      .filter(({ files }) => files === 0)
      .slice(0, replayQuestionLimit)
      .map(({ answerId }) => answerId),
  );

function leftOutText({ messagesLeftOut, filesLeftOut }: Replay): string | undefined {
  const left = [
    ...(messagesLeftOut > 0 ? [formatCount(messagesLeftOut, 'earlier message')] : []),
    ...(filesLeftOut > 0 ? [formatCount(filesLeftOut, 'file')] : []),
  ];
  return left.length > 0 ? `${left.join(' and ')} will not be sent.` : undefined;
}

/** Opens the prepared comparison. */
function lead(navigate: ReturnType<typeof useNavigate>, replay: Replay) {
  const description = leftOutText(replay);
  if (description) toast({ title: 'Not everything can be replayed', description });
  return navigate({ to: '/fine-tuning/comparisons/$id', params: { id: replay.comparison.id } });
}

/** Prepares a comparison of an assistant's current model and another on its real questions. */
export function ReplayDialog({ assistant, successor, onClose }: ReplayDialogProps) {
  const { id, model: fromModel } = assistant;
  const model = useReplacementModel(fromModel, successor);
  const { toModel, list } = model;
  const fromName = useModelName(fromModel);
  const { reason } = useEditAccess();
  const navigate = useNavigate();
  const [programs, setPrograms] = useState(false);
  const [baseline, setBaseline] = useState<Baseline>('stored');
  const [picked, setPicked] = useState<ReadonlySet<number>>();
  const questions = useQuery(askedQuestionsQuery(id, fromModel, programs));
  const plan = useQuery({ ...modelMigrationPlanQuery(fromModel, toModel), enabled: model.isKnown });
  const prepare = usePrepareReplay(id);
  const items = questions.data?.items ?? [];
  const chosen = picked ?? usualChoice(items);
  const answerIds = items.map(({ answerId }) => answerId).filter((answerId) => chosen.has(answerId));
  const notTaken = plan.data?.assistants.find((one) => one.id === id)?.notTaken ?? [];
  const submit = () =>
    prepare.mutate({ fromModel, toModel, answerIds, baseline }, { onSuccess: (replay) => void lead(navigate, replay) });
  return (
    <FormDialog
      title="Test on real questions"
      description={`Asks another model the questions ${assistant.name} was asked and compares the answers with those of ${fromName}. You see the cost first.`}
      action={['Prepare', 'Preparing...']}
      busy={prepare.isPending}
      disabledReason={reason ?? model.missing ?? whyNot(answerIds.length)}
      failed={{ title: 'Failed to prepare the replay', error: prepare.error }}
      onSubmit={submit}
      onClose={onClose}
      className="grid gap-5"
    >
      <NewModelField {...model} />
      <UnsupportedSettings
        toModel={toModel}
        list={list}
        temperatures={notTaken.includes('temperature') ? 1 : 0}
        efforts={notTaken.includes('reasoningEffort') ? 1 : 0}
      />
      {isModelAvailable(list, fromModel) ? (
        <BaselineChoice model={fromModel} value={baseline} onChange={setBaseline} />
      ) : (
        <p className="text-muted-foreground text-sm">{`${fromName} has retired, so its earlier answers are used.`}</p>
      )}
      <Switch
        label="Include questions from programs"
        checked={programs}
        onChange={(event) => setPrograms(event.currentTarget.checked)}
      />
      {questions.isPending && <SpinnerPanel label="Loading questions" />}
      {questions.isError && (
        <Notice tone="destructive" live>
          {errorText(questions.error)}
        </Notice>
      )}
      {questions.data && <ReplayedQuestions model={fromModel} items={items} chosen={chosen} onChoose={setPicked} />}
    </FormDialog>
  );
}

const whyNot = (count: number) => (count === 0 ? 'Please select at least one question' : undefined);

/** True if the key can use the model, or if that is unknown; then the server decides. */
function isModelAvailable(list: ModelList | undefined, model: string): boolean {
  return !isModelMissing(list, model) && findModel(list, model)?.lifecycle !== 'gone';
}

type BaselineChoiceProps = { model: string; value: Baseline; onChange: (baseline: Baseline) => void };

function BaselineChoice({ model, value, onChange }: BaselineChoiceProps) {
  return (
    <RadioGroup
      label={`Answers of ${modelName(model)}`}
      layout="row"
      value={value}
      onValueChange={onChange}
      options={[
        { value: 'stored', label: 'Use earlier answers', description: 'Free of charge.' },
        { value: 'asked', label: 'Ask again', description: 'Possible until the model retires.' },
      ]}
    />
  );
}
