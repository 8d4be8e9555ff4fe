import type { ReactNode } from 'react';
import { type ButtonSize, buttonClass } from './button.tsx';

type LoginProviderButtonProps = {
  provider: 'google' | 'github';
  /** Where the flow is to end: a path of this application. */
  returnPath?: string | undefined;
  label?: string | undefined;
  size?: ButtonSize | undefined;
  children: ReactNode;
};

/** Begins a sign-in at Google or GitHub. A form, not a link: nothing that only leads there can begin one. */
export function LoginProviderButton({ provider, returnPath = '/', label, size, children }: LoginProviderButtonProps) {
  const query = returnPath === '/' ? '' : `?redirect=${encodeURIComponent(returnPath)}`;
  return (
    <form method="post" action={`/auth/${provider}${query}`} className="grid">
      <button type="submit" aria-label={label} className={buttonClass({ size })}>
        {children}
      </button>
    </form>
  );
}
