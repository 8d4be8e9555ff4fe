import type { TestRun, TestRunEstimate, TestSet } from '@roster/contracts/comparisons/test-sets';
import { type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { modelName } from '#web/api/model-names.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { ModelSelect } from '#web/components/model-select.tsx';
import { RefusalNotice } from '#web/components/refusal-notice.tsx';
import { CriteriaField, defaultCriteria } from '#web/features/comparisons/shared/criteria-field.tsx';
import { tunedGroups, tunedIds } from '#web/features/comparisons/shared/model-options.ts';
import { tunedModelsQuery } from '#web/features/comparisons/shared/queries.ts';
import { ApiError, errorText } from '#web/lib/api-client.ts';
import { formatCost, formatCount, formatDateTime } from '#web/lib/text/format.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { useDebouncedText } from '#web/lib/use-debounced-text.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { newestVersionsQuery, runEstimateQuery, runsQuery, useRunSet } from './queries.ts';
import {
  defaultBaseline,
  modelOf,
  modelValue,
  noBaseline,
  type RunBody,
  type RunFields,
  runValue,
  toRun,
  versionValue,
} from './run-fields.ts';

type RunDialogProps = {
  set: TestSet;
  /** A draft to test against the current version; undefined lets the user choose. */
  draft?: RunBody['candidate'] | undefined;
  onStarted: (run: TestRun) => void;
  onClose: () => void;
};

const typingMs = 300;

/** The selection, and its estimated cost. */
function useRunFields(set: TestSet, draft: RunDialogProps['draft']) {
  const { data: pages } = useInfiniteQuery(runsQuery(set.id));
  const runs = pages ? allItems(pages) : [];
  const [chosen, setChosen] = useState<Partial<RunFields>>({});
  const present = versionValue(set.assistant.version);
  const all: RunFields = {
    ...{ candidate: present, baseline: defaultBaseline(runs), judge: '', criteria: defaultCriteria },
    ...chosen,
  };
  // The current version cannot be its own baseline.
  const fields = all.candidate === present && all.baseline === present ? { ...all, baseline: noBaseline } : all;
  // Debounced.
  const [pricedCriteria, setPricedCriteria] = useState(defaultCriteria);
  const change = (more: Partial<RunFields>) => setChosen({ ...chosen, ...more });
  // Wait for the runs, which determine the default baseline.
  const isKnown = draft !== undefined || pages !== undefined;
  const runWith = (more: Partial<RunFields>) => (isKnown ? toRun({ ...fields, ...more }, draft, set) : undefined);
  const run = runWith({});
  const priced = {
    candidate: useDebouncedText(fields.candidate, typingMs),
    judge: useDebouncedText(fields.judge, typingMs),
    criteria: pricedCriteria,
  };
  const estimate = useQuery(runEstimateQuery(set.id, runWith(priced)));
  const onWritten = () => setPricedCriteria(fields.criteria);
  return { fields, runs, change, run, estimate, onWritten };
}

const describe = ({ assistant, name, questions }: TestSet, isDraft: boolean) =>
  isDraft
    ? `Asks your draft and version ${assistant.version} the ${formatCount(questions, 'question')} in ‘${name}’. Existing answers are reused.`
    : `The ${formatCount(questions, 'question')} are asked once each. You can leave this page.`;

/** Dialog for a test run: candidate, baseline, judge and cost. */
export function RunDialog({ set, draft, onStarted, onClose }: RunDialogProps) {
  const { fields, runs, change, run, estimate, onWritten } = useRunFields(set, draft);
  const { reason } = useEditAccess();
  const running = useRunSet(set.id);
  const begin = (overBudget: boolean) => run && running.mutate({ run, overBudget }, { onSuccess: onStarted });
  const isMeasured = draft !== undefined || fields.baseline !== noBaseline;
  return (
    <FormDialog
      title={draft ? 'Try the draft' : `Run ‘${set.name}’`}
      description={describe(set, draft !== undefined)}
      action={['Start', 'Starting...']}
      busy={running.isPending}
      disabledReason={
        reason ?? (run ? refusalOf(estimate.error) : 'Choose a version or model, and the judge’s criteria.')
      }
      onSubmit={() => begin(false)}
      onClose={onClose}
      className="grid gap-5"
    >
      {!draft && (
        <>
          <CandidateField set={set} value={fields.candidate} onChange={(candidate) => change({ candidate })} />
          <BaselineField
            set={set}
            runs={runs}
            candidate={fields.candidate}
            value={fields.baseline}
            onChange={(baseline) => change({ baseline })}
          />
        </>
      )}
      {isMeasured && (
        <JudgeFields judge={fields.judge} criteria={fields.criteria} onChange={change} onWritten={onWritten} />
      )}
      <Cost estimate={estimate} judge={fields.judge} />
      {running.error && (
        <RefusalNotice
          error={running.error}
          title="Failed to run the test set"
          overrideLabel="Run anyway"
          onOverride={() => begin(true)}
        />
      )}
    </FormDialog>
  );
}

/** Also for those who cannot tune. */
const useTuned = () => useQuery({ ...tunedModelsQuery, retry: false }).data ?? [];

type ChoiceProps = { set: TestSet; value: string; onChange: (value: string) => void };

function CandidateField({ set: { assistant }, value, onChange }: ChoiceProps) {
  const versions = useQuery(newestVersionsQuery(assistant.id)).data ?? [];
  const tuned = useTuned();
  const others = versions.filter(({ number }) => number !== assistant.version);
  const version = (number: number, label: string) => ({
    id: versionValue(number),
    label,
    isChosen: value === versionValue(number),
    onTake: () => onChange(versionValue(number)),
  });
  const present = `Version ${assistant.version}, the current one (${modelName(assistant.model)})`;
  const chooseModel = (model: string) => onChange(modelValue(model));
  return (
    <Field
      label="What is asked"
      hint="A version uses its own settings; any other model uses those of the current version. All use the current files, and tools are not called."
    >
      {(control) => (
        <ModelSelect
          control={control}
          value={modelOf(value) ?? ''}
          extras={[
            {
              title: 'Versions',
              options: [
                version(assistant.version, present),
                ...others.map(({ number, createdAt }) =>
                  version(number, `Version ${number}, ${formatDateTime(createdAt)}`),
                ),
              ],
            },
            ...tunedGroups(tuned, modelOf(value) ?? '', chooseModel),
          ]}
          without={tunedIds(tuned)}
          onChange={chooseModel}
        />
      )}
    </Field>
  );
}

type BaselineFieldProps = ChoiceProps & { runs: readonly TestRun[]; candidate: string };

function BaselineField({ set: { assistant }, runs, candidate, value, onChange }: BaselineFieldProps) {
  const present = versionValue(assistant.version);
  return (
    <Field label="Compared with" hint="Answers of an earlier run are not asked again.">
      {(control) => (
        <Select {...control} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value={noBaseline}>Nothing</option>
          {candidate !== present && (
            <option value={present}>{`Version ${assistant.version}, asked only if not answered yet`}</option>
          )}
          {runs.map(({ id, candidate: { label }, createdAt }) => (
            <option key={id} value={runValue(id)}>
              {`Run of ${formatDateTime(createdAt)}: ${modelName(label)}`}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

type JudgeFieldsProps = Pick<RunFields, 'judge' | 'criteria'> & {
  onChange: (more: Partial<RunFields>) => void;
  onWritten: () => void;
};

function JudgeFields({ judge, criteria, onChange, onWritten }: JudgeFieldsProps) {
  const tuned = useTuned();
  const chooseJudge = (model: string) => onChange({ judge: model });
  return (
    <>
      <Field
        label="Who decides which is better"
        hint="A judge compares each differing answer twice, in both orders. Your vote overrides its verdict."
      >
        {(control) => (
          <ModelSelect
            control={control}
            value={judge}
            empty="I’ll vote"
            extras={tunedGroups(tuned, judge, chooseJudge)}
            without={tunedIds(tuned)}
            onChange={chooseJudge}
          />
        )}
      </Field>
      {judge !== '' && (
        <CriteriaField value={criteria} onChange={(next) => onChange({ criteria: next })} onBlur={onWritten} />
      )}
    </>
  );
}

const priceOf = (costUsd: number | null) => (costUsd === null ? 'no price known' : `about ${formatCost(costUsd)}`);

/** The estimate in sentences. */
export function costText(
  { answers, baselineAnswers, costUsd, unpriced, stored, withoutBaseline, judge }: TestRunEstimate,
  model: string,
): string {
  const partly =
    costUsd !== null && unpriced.length > 0 ? ` No price is known for ${unpriced.map(modelName).join(' and ')}.` : '';
  const ofBaseline = baselineAnswers > 0 ? `, including ${baselineAnswers} for the baseline` : '';
  return [
    `${formatCount(answers, 'answer')}${ofBaseline}: ${priceOf(costUsd)}.${partly}`,
    ...(stored > 0 ? [`${formatCount(stored, 'earlier answer')} cost nothing.`] : []),
    ...(judge
      ? [`${modelName(model)} judges with at most ${formatCount(judge.answers, 'answer')}: ${priceOf(judge.costUsd)}.`]
      : []),
    ...(stored + baselineAnswers > 0 && withoutBaseline > 0
      ? [`${formatCount(withoutBaseline, 'question')} without an earlier answer.`]
      : []),
  ].join(' ');
}

/** Reason why the server refuses the run. If only the estimate failed, the run may still start. */
const refusalOf = (error: Error | null): string | undefined =>
  error instanceof ApiError && error.status < 500 ? error.message : undefined;

type CostProps = { estimate: UseQueryResult<TestRunEstimate>; judge: string };

function Cost({ estimate, judge }: CostProps) {
  const { data, error } = estimate;
  if (error)
    return (
      <RetryNotice
        live
        tone="warning"
        title={refusalOf(error) ? 'Cannot run this' : 'Failed to estimate the cost'}
        query={estimate}
      >
        {errorText(error)}
      </RetryNotice>
    );
  return (
    <Notice title="What it costs">
      <output className="block tabular-nums">{data ? costText(data, judge) : 'Estimating...'}</output>
    </Notice>
  );
}
