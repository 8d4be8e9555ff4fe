import { type ComponentProps, useState } from 'react';
import { classNames } from '#web/ui/class-names.ts';
import { controlClass } from './input.tsx';

type SecretInputProps = Omit<ComponentProps<'input'>, 'type'> & {
  /** Name of the hidden value for the button: 'password', 'API key'. */
  what: string;
};

/** A password field with a Show/Hide button. */
export function SecretInput({ what, className, ...rest }: SecretInputProps) {
  const [shown, setShown] = useState(false);
  return (
    // Keys and their beginnings are written from left to right on every page.
    <div dir="ltr" className="relative min-w-0">
      <input
        spellCheck={false}
        autoCapitalize="none"
        {...rest}
        type={shown ? 'text' : 'password'}
        className={classNames(controlClass, 'h-9 pe-16 max-md:h-10', className)}
      />
      <button
        type="button"
        aria-label={`${shown ? 'Hide' : 'Show'} ${what}`}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-1 inset-e-1 rounded-sm px-2 text-muted-foreground text-sm hover:bg-hover max-md:inset-y-0 max-md:min-w-10 hover:text-foreground"
      >
        {shown ? 'Hide' : 'Show'}
      </button>
    </div>
  );
}
