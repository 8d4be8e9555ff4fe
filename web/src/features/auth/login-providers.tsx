import type { SignInOptions } from '@roster/contracts/auth';
import { GitHubMark, GoogleMark } from '#web/ui/brand-mark.tsx';
import { LoginProviderButton } from '#web/ui/login-provider-button.tsx';

type LoginProvidersProps = {
  options: SignInOptions;
  title: string;
  /** Where the flow is to end: a path of this application. */
  returnPath: string;
};

/** Buttons for what this installation has configured; nothing where it has nothing. */
export function LoginProviders({ options, title, returnPath }: LoginProvidersProps) {
  if (!options.github && !options.google) return null;
  return (
    <div className="mt-7">
      <div className="flex items-center gap-3 text-muted-foreground text-xs">
        <span aria-hidden="true" className="h-px flex-1 bg-border" />
        <p>{title}</p>
        <span aria-hidden="true" className="h-px flex-1 bg-border" />
      </div>
      <div className="mt-4 grid auto-cols-fr grid-flow-col gap-3">
        {options.github && (
          <LoginProviderButton provider="github" returnPath={returnPath}>
            <GitHubMark />
            GitHub
          </LoginProviderButton>
        )}
        {options.google && (
          <LoginProviderButton provider="google" returnPath={returnPath}>
            <GoogleMark />
            Google
          </LoginProviderButton>
        )}
      </div>
    </div>
  );
}
