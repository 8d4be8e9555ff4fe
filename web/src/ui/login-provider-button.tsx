import type { ReactNode } from 'react';
import { type ButtonSize, buttonClass } from './button.tsx';

type LoginProviderButtonProps = {
  /** Its id, as in `/auth/google`. */
  provider: string;
  label?: string | undefined;
  size?: ButtonSize | undefined;
  children: ReactNode;
};

/** Starts connecting an account at a login provider. A form, not a link: a link on another site must not connect an account. */
export function LoginProviderButton({ provider, label, size, children }: LoginProviderButtonProps) {
  return (
    <form method="post" action={`/auth/${provider}`} className="grid">
      <button type="submit" aria-label={label} className={buttonClass({ size })}>
        {children}
      </button>
    </form>
  );
}
