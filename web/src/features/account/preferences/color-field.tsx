import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';

type ColorFieldProps = {
  label: string;
  placeholder: string;
  /** As typed. */
  value: string;
  /** The picker's value while the text is not a color. */
  shown: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

/** The browser's color picker with the color as text. */
export function ColorField({ label, placeholder, value, shown, error, onChange }: ColorFieldProps) {
  return (
    <Field label={label} error={error}>
      {(control) => (
        <div className="flex gap-2">
          <input
            type="color"
            aria-label={`${label} picker`}
            value={shown}
            onChange={(event) => onChange(event.currentTarget.value)}
            className="h-9 w-12 shrink-0 cursor-pointer rounded-md border border-border-strong bg-background p-1 max-md:h-10 [&::-webkit-color-swatch-wrapper]:p-0 [&::-webkit-color-swatch]:rounded-xs [&::-webkit-color-swatch]:border-0"
          />
          <Input
            {...control}
            value={value}
            placeholder={placeholder}
            maxLength={16}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
            onChange={(event) => onChange(event.currentTarget.value)}
            className="font-mono"
          />
        </div>
      )}
    </Field>
  );
}
