import { Criteria, criteriaLimit } from '@roster/contracts/comparisons/judging';
import { Field } from '#web/ui/forms/field.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';

export const defaultCriteria =
  'The better answer is correct, does what the question asks for, and says no more than that takes. Where both do so equally well, it is a tie.';

export const criteriaError = (criteria: string): string | undefined =>
  Criteria.safeParse(criteria).error?.issues[0]?.message;

type CriteriaFieldProps = { value: string; onChange: (criteria: string) => void; onBlur: () => void };

/** A judge decides by it. */
export function CriteriaField({ value, onChange, onBlur }: CriteriaFieldProps) {
  return (
    <Field
      label="Criteria"
      required
      hint="Describe what makes an answer better."
      error={criteriaError(value)}
      counter={{ value: [...value].length, max: criteriaLimit }}
    >
      {(control) => (
        <Textarea
          {...control}
          rows={3}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onBlur={onBlur}
        />
      )}
    </Field>
  );
}
