import { Link } from '@tanstack/react-router';
import { ApiError } from '#web/lib/api-client.ts';
import { isBudgetError } from '#web/lib/budget-error.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { SettingsLink } from './settings-link.tsx';

const aboutKey = new Map([
  ['no_api_key', 'No API key is saved'],
  ['key_unreadable', 'The saved API key cannot be read'],
]);

type RefusalNoticeProps = {
  error: unknown;
  /** Title for reasons other than the key or a budget. */
  title: string;
  /** Tells what happened to the unsent input. */
  kept?: string;
  /** For example 'Send anyway'. */
  overrideLabel: string;
  /** Repeats the request over a used-up budget. */
  onOverride: () => void;
  className?: string;
};

/** Explains why no model was called, and what to do. */
export function RefusalNotice({ error, title, kept, overrideLabel, onOverride, className }: RefusalNoticeProps) {
  const reason = error instanceof ApiError ? error.message : 'Something went wrong.';
  if (isBudgetError(error))
    return (
      <Notice
        live
        tone="warning"
        title="Your budget is used up"
        className={className}
        action={
          <>
            <Button size="sm" className="max-md:h-10" onClick={onOverride}>
              {overrideLabel}
            </Button>
            <Link
              to="/analytics"
              search={{ tab: 'budgets' }}
              className={buttonClass({ size: 'sm', variant: 'ghost', className: 'max-md:h-10' })}
            >
              Open Analytics
            </Link>
          </>
        }
      >
        {reason}
      </Notice>
    );
  const keyTitle = error instanceof ApiError ? aboutKey.get(error.code) : undefined;
  return (
    <Notice
      live
      tone={keyTitle ? 'warning' : 'destructive'}
      title={keyTitle ?? title}
      className={className}
      action={keyTitle && <SettingsLink />}
    >
      {reason} {kept}
    </Notice>
  );
}
