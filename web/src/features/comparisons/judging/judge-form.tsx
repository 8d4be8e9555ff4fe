import { useQuery } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { modelName } from '#web/api/model-names.ts';
import { ModelSelect } from '#web/components/model-select.tsx';
import { CriteriaField, criteriaError, defaultCriteria } from '#web/features/comparisons/shared/criteria-field.tsx';
import { tunedGroups, tunedIds } from '#web/features/comparisons/shared/model-options.ts';
import { tunedModelsQuery } from '#web/features/comparisons/shared/queries.ts';
import { formatCost, formatCount } from '#web/lib/text/format.ts';
import { useDebouncedText } from '#web/lib/use-debounced-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { type JudgingDraft, judgingEstimateQuery } from './queries.ts';

type JudgeFormProps = {
  comparisonId: number;
  /** Number of prompts with both answers. */
  answered: number;
  disabledReason: string | undefined;
  busy: boolean;
  onStart: (draft: JudgingDraft) => void;
  onCancel: (() => void) | undefined;
};

const typingMs = 300;

/** Judge model, criteria and estimated cost. */
export function JudgeForm({ comparisonId, answered, disabledReason, busy, onStart, onCancel }: JudgeFormProps) {
  const [draft, setDraft] = useState<JudgingDraft>({ model: '', criteria: defaultCriteria });
  // Debounced.
  const [priced, setPriced] = useState(draft.criteria);
  const missing =
    draft.model === ''
      ? 'Choose a model first.'
      : criteriaError(draft.criteria) === undefined
        ? undefined
        : 'Correct the criteria first.';
  const { data: estimate } = useQuery({
    ...judgingEstimateQuery(comparisonId, answered, {
      model: useDebouncedText(draft.model, typingMs),
      criteria: priced,
    }),
  });
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!disabledReason && !missing && !busy) onStart(draft);
      }}
    >
      <ModelField value={draft.model} onChange={(model) => setDraft({ ...draft, model })} />
      <CriteriaField
        value={draft.criteria}
        onChange={(criteria) => setDraft({ ...draft, criteria })}
        onBlur={() => setPriced(draft.criteria)}
      />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <Button type="submit" icon={Play} variant="primary" busy={busy} disabledReason={disabledReason ?? missing}>
          Start judging
        </Button>
        {onCancel && (
          <Button variant="ghost" onClick={onCancel}>
            Cancel
          </Button>
        )}
        {estimate && draft.model !== '' && estimate.answers > 0 && (
          <p className="text-muted-foreground text-sm">
            {estimate.costUsd === null
              ? `${formatCount(estimate.answers, 'judge answer')}. No price is known for ${modelName(draft.model)}.`
              : `${formatCount(estimate.answers, 'judge answer')}, about ${formatCost(estimate.costUsd)}.`}
          </p>
        )}
      </div>
    </form>
  );
}

function ModelField({ value, onChange }: { value: string; onChange: (model: string) => void }) {
  const tuned = useQuery({ ...tunedModelsQuery, retry: false }).data ?? [];
  return (
    <Field label="Model" required hint="A model other than the two being compared is the fairest judge.">
      {(control) => (
        <ModelSelect
          control={control}
          extras={tunedGroups(tuned, value, onChange)}
          without={tunedIds(tuned)}
          value={value}
          empty="Choose a model"
          onChange={onChange}
          className="max-w-md"
        />
      )}
    </Field>
  );
}
