import { AssistantColor, AssistantIcon } from '@roster/contracts/assistants/avatar';
import { type ReactNode, useId } from 'react';
import { AssistantAvatar } from '#web/components/assistant-avatar.tsx';
import type { AssistantForm } from './use-assistant-form.ts';

/** Icon and color in lists. */
export function AvatarFields({ form }: { form: AssistantForm }) {
  const [name = '', icon = null, color = null] = form.watch(['name', 'icon', 'color']);
  return (
    <div className="grid gap-3">
      <Choices
        label="Icon"
        none="No icon"
        options={AssistantIcon.options}
        value={icon}
        onChange={(next) => form.setValue('icon', next, { shouldDirty: true })}
        look={(option) => <AssistantAvatar name={name} icon={option} color={color} className="size-8" />}
      />
      <Choices
        label="Color"
        none="No color"
        options={AssistantColor.options}
        value={color}
        onChange={(next) => form.setValue('color', next, { shouldDirty: true })}
        look={(option) => <AssistantAvatar name={name} icon={icon} color={option} className="size-8" />}
      />
    </div>
  );
}

type ChoicesProps<Value extends string> = {
  label: string;
  none: string;
  options: readonly Value[];
  value: Value | null;
  onChange: (value: Value | null) => void;
  look: (value: Value) => ReactNode;
};

/** Radio group of icons or colors, with one for none. */
function Choices<Value extends string>({ label, none, options, value, onChange, look }: ChoicesProps<Value>) {
  const group = useId();
  const choice = (option: Value | null, shown: ReactNode) => (
    <label
      key={option ?? 'none'}
      title={option ?? none}
      className="relative flex size-10 items-center justify-center rounded-md border border-transparent hover:bg-hover has-checked:border-primary has-focus-visible:outline-2 has-focus-visible:outline-ring"
    >
      <input
        type="radio"
        name={group}
        aria-label={option ?? none}
        checked={option === value}
        onChange={() => onChange(option)}
        className="absolute inset-0 cursor-pointer opacity-0"
      />
      {shown}
    </label>
  );
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="flex flex-wrap max-sm:grid max-sm:grid-cols-6 max-sm:gap-y-1">
        {choice(null, <span className="text-muted-foreground text-xs">None</span>)}
        {options.map((option) => choice(option, look(option)))}
      </div>
    </fieldset>
  );
}
