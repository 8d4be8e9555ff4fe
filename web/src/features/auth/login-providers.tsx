import type { SignInOptions } from '@roster/contracts/auth';
import { GitHubMark, GoogleMark } from '#web/ui/brand-mark.tsx';
import { buttonClass } from '#web/ui/button.tsx';

type LoginProvidersProps = {
  options: SignInOptions;
  title: string;
  /** Path to return to after the flow. */
  returnPath: string;
};

/** Links for the configured providers; nothing if there are none. */
export function LoginProviders({ options, title, returnPath }: LoginProvidersProps) {
  if (!options.github && !options.google) return null;
  const query = returnPath === '/' ? '' : `?redirect=${encodeURIComponent(returnPath)}`;
  return (
    <div className="mt-7">
      <div className="flex items-center gap-3 text-muted-foreground text-xs">
        <span aria-hidden="true" className="h-px flex-1 bg-border" />
        <p>{title}</p>
        <span aria-hidden="true" className="h-px flex-1 bg-border" />
      </div>
      <div className="mt-4 grid auto-cols-fr grid-flow-col gap-3">
        {options.github && (
          <a href={`/auth/github${query}`} className={buttonClass()}>
            <GitHubMark />
            GitHub
          </a>
        )}
        {options.google && (
          <a href={`/auth/google${query}`} className={buttonClass()}>
            <GoogleMark />
            Google
          </a>
        )}
      </div>
    </div>
  );
}
