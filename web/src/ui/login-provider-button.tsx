import type { ReactNode } from 'react';
import { type ButtonSize, buttonClass } from './button.tsx';

type LoginProviderButtonProps = {
  provider: 'google' | 'github';
  label?: string | undefined;
  size?: ButtonSize | undefined;
  children: ReactNode;
};

/** Connects Google or GitHub to the person's account. A form, not a link: a link from elsewhere must not connect one. */
export function LoginProviderButton({ provider, label, size, children }: LoginProviderButtonProps) {
  return (
    <form method="post" action={`/auth/${provider}`} className="grid">
      <button type="submit" aria-label={label} className={buttonClass({ size })}>
        {children}
      </button>
    </form>
  );
}
