import { type ComponentProps, useEffect, useRef } from 'react';
import { Input } from '#web/ui/forms/input.tsx';

type EmailInputProps = Omit<ComponentProps<'input'>, 'ref'> & {
  ref?: (element: HTMLInputElement | null) => void;
  takesFocus?: boolean;
};

/** Takes the focus, unless something has it: after a press on a tab it stays there, as the arrow keys need it. */
export function EmailInput({ ref, takesFocus = true, ...props }: EmailInputProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!takesFocus) return;
    const isFree = document.activeElement === null || document.activeElement === document.body;
    // A field with text was in use before the form had loaded.
    if (isFree && input.current?.value === '') input.current.focus();
  }, [takesFocus]);
  return (
    <Input
      {...props}
      ref={(element) => {
        input.current = element;
        ref?.(element);
      }}
      // For the page as it is sent, before any script.
      autoFocus={takesFocus && typeof document === 'undefined'}
      type="email"
      autoCapitalize="none"
    />
  );
}
