import type { SignInOptions } from '@roster/contracts/auth';
import { LogIn } from 'lucide-react';
import { GitHubMark, GoogleMark } from '#web/ui/brand-mark.tsx';
import { buttonClass } from '#web/ui/button.tsx';

type LoginProvidersProps = {
  options: SignInOptions;
  title: string;
  /** Path to return to after the flow. */
  returnPath: string;
};

/** Links for the configured providers; nothing if there are none. More than two are listed below each other. */
export function LoginProviders({ options, title, returnPath }: LoginProvidersProps) {
  const { github, google, openId = [] } = options;
  const count = Number(github) + Number(google) + openId.length;
  if (count === 0) return null;
  const query = returnPath === '/' ? '' : `?redirect=${encodeURIComponent(returnPath)}`;
  return (
    <div className="mt-7">
      <div className="flex items-center gap-3 text-muted-foreground text-xs">
        <span aria-hidden="true" className="h-px flex-1 bg-border" />
        <p>{title}</p>
        <span aria-hidden="true" className="h-px flex-1 bg-border" />
      </div>
      <div className={`mt-4 grid gap-3 ${count <= 2 ? 'auto-cols-fr grid-flow-col' : ''}`}>
        {github && (
          <a href={`/auth/github${query}`} className={buttonClass()}>
            <GitHubMark />
            GitHub
          </a>
        )}
        {google && (
          <a href={`/auth/google${query}`} className={buttonClass()}>
            <GoogleMark />
            Google
          </a>
        )}
        {openId.map(({ id, name }) => (
          <a key={id} href={`/auth/${id}${query}`} className={buttonClass()}>
            <LogIn aria-hidden className="size-4 shrink-0" />
            <span className="truncate">{name}</span>
          </a>
        ))}
      </div>
    </div>
  );
}
