import { textIn } from './fields.ts';
import { type FillingState, today } from './filling.ts';
import { type MenuKeys, type MenuOption, OptionMenu } from './option-menu.tsx';

const dayMs = 24 * 60 * 60 * 1000;
const dayAfter = (day: string, days: number) => new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

type ValueOption = MenuOption & { value: string };

const named = (label: string, value: string): ValueOption => ({ id: value, label, detail: value, value });

/** Values to choose from; none for text, and none if something else was typed. */
export function valuesOf({ active, text }: FillingState, isSelected: boolean): ValueOption[] {
  if (!active || active.variable.kind === 'text') return [];
  const now = today();
  const all =
    active.variable.kind === 'choice'
      ? active.variable.options.map((value, index) => ({ id: String(index), label: value, value }))
      : [
          named('Today', now),
          named('Tomorrow', dayAfter(now, 1)),
          named('Yesterday', dayAfter(now, -1)),
          named('In a week', dayAfter(now, 7)),
        ];
  const typed = textIn(text, active).toLowerCase();
  if (isSelected || typed === '') return all;
  return all.filter(({ label, value }) => [label, value].some((one) => one.toLowerCase().startsWith(typed)));
}

type ValueMenuProps = {
  box: HTMLTextAreaElement;
  keys: MenuKeys;
  name: string;
  values: readonly ValueOption[];
  onTake: (value: string) => void;
  onClose: () => void;
};

/** The options of a choice, or some days. Anything else can be typed. */
export function ValueMenu({ name, values, onTake, ...rest }: ValueMenuProps) {
  return <OptionMenu {...rest} key={name} label={name} options={values} onTake={({ value }) => onTake(value)} />;
}
