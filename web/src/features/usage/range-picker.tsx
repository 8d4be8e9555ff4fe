import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { type DayRange, type RangeProblem, type RangeSearch, rangeProblem } from './shared/range.ts';
import { type Preset, presets } from './shared/views.ts';

type RangePickerProps = {
  /** null for a custom range. */
  preset: Preset | null;
  range: DayRange;
  problem: RangeProblem | null;
  today: string;
  onChange: (search: RangeSearch) => void;
};

const choice =
  'flex h-8 min-w-0 flex-1 items-center justify-center whitespace-nowrap sm:flex-auto rounded-sm px-3 font-medium text-muted-foreground transition-colors duration-120 max-md:h-10 ' +
  'hover:text-foreground has-checked:bg-active has-checked:text-foreground has-focus-visible:outline-2 has-focus-visible:outline-ring ' +
  'light:has-checked:bg-card light:has-checked:shadow-[0_0_0_1px_var(--border)] max-md:h-9 max-sm:px-1';

const months = { 'this-month': 'This month', 'last-month': 'Last month' };
const presetName = (preset: Preset) => (typeof preset === 'number' ? `${preset} days` : months[preset]);

/** Selects the days: a preset or a custom range. */
export function RangePicker({ preset, range, problem, today, onChange }: RangePickerProps) {
  const [opened, setOpened] = useState(false);
  const isCustom = preset === null || opened;
  return (
    <>
      <fieldset className="flex rounded-md border border-border p-0.5 max-sm:grid max-sm:w-full max-sm:grid-cols-3 light:bg-muted">
        <legend className="sr-only">Days to show</legend>
        {presets.map((one) => (
          <label key={one} className={choice}>
            <input
              type="radio"
              name="range"
              checked={!isCustom && preset === one}
              onChange={() => {
                setOpened(false);
                onChange({ range: one });
              }}
              className="sr-only"
            />
            {presetName(one)}
          </label>
        ))}
        <label className={choice}>
          <input type="radio" name="range" checked={isCustom} onChange={() => setOpened(true)} className="sr-only" />
          Custom
        </label>
      </fieldset>
      {isCustom && (
        <CustomRange
          range={range}
          problem={problem}
          today={today}
          onChange={(search) => {
            setOpened(false);
            onChange(search);
          }}
        />
      )}
    </>
  );
}

type CustomRangeProps = Pick<RangePickerProps, 'range' | 'problem' | 'today' | 'onChange'>;

function CustomRange({ range, problem, today, onChange }: CustomRangeProps) {
  const [draft, setDraft] = useState(range);
  const [wrong, setWrong] = useState(problem);
  const [shown, setShown] = useState(range);
  // The address has changed from elsewhere.
  if (shown.from !== range.from || shown.to !== range.to) {
    setShown(range);
    setDraft(range);
    setWrong(problem);
  }
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (wrong) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [wrong]);
  const apply = (event: FormEvent) => {
    event.preventDefault();
    const found = rangeProblem(draft);
    setWrong(found);
    if (!found) onChange(draft);
  };
  const field = (name: 'from' | 'to', label: string) => (
    <Field label={label} error={wrong?.[name]} className="sm:w-64">
      {(control) => (
        <Input
          {...control}
          type="date"
          max={today}
          value={draft[name]}
          onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <form
      ref={form}
      noValidate
      onSubmit={apply}
      // Below the row of buttons that contains it.
      className="order-last grid w-full grid-cols-2 items-start gap-3 sm:flex"
    >
      {field('from', 'From')}
      {field('to', 'To')}
      <Button type="submit" variant="secondary" className="max-sm:order-last max-sm:col-span-2 max-sm:h-10 sm:mt-6.5">
        Apply
      </Button>
    </form>
  );
}
