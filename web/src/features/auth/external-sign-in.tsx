import type { SignInOptions } from '@roster/contracts/auth';
import { GitHubMark, GoogleMark } from '#web/ui/brand-mark.tsx';
import { ExternalButton } from '#web/ui/external-button.tsx';

type ExternalSignInProps = {
  options: SignInOptions;
  title: string;
  /** Where the flow is to end: a path of this application. */
  returnPath: string;
};

/** Buttons for what this installation has configured; nothing where it has nothing. */
export function ExternalSignIn({ options, title, returnPath }: ExternalSignInProps) {
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
          <ExternalButton provider="github" returnPath={returnPath}>
            <GitHubMark />
            GitHub
          </ExternalButton>
        )}
        {options.google && (
          <ExternalButton provider="google" returnPath={returnPath}>
            <GoogleMark />
            Google
          </ExternalButton>
        )}
      </div>
    </div>
  );
}
