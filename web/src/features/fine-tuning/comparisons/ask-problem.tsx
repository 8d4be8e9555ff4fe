import { Link } from '@tanstack/react-router';
import { ApiError, errorText } from '#web/lib/api.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';

const aboutKey = new Map([
  ['no_api_key', 'No API key is saved'],
  ['key_unreadable', 'The saved API key cannot be read'],
]);

type AskProblemProps = { error: unknown; isWaiting: boolean; onInsist: () => void };

/** Why nothing was asked, and what helps. */
export function AskProblem({ error, isWaiting, onInsist }: AskProblemProps) {
  const code = error instanceof ApiError ? error.code : '';
  if (isWaiting)
    return (
      <Notice live title="Waiting">
        {errorText(error)} It goes on by itself.
      </Notice>
    );
  if (code === 'budget_exceeded')
    return (
      <Notice
        live
        tone="warning"
        title="Your budget is used up"
        action={
          <>
            <Button size="sm" className="max-md:h-10" onClick={onInsist}>
              Ask anyway
            </Button>
            <Link to="/analytics" className={buttonClass({ size: 'sm', variant: 'ghost', className: 'max-md:h-10' })}>
              Open Analytics
            </Link>
          </>
        }
      >
        {errorText(error)}
      </Notice>
    );
  const keyTitle = aboutKey.get(code);
  return (
    <Notice
      live
      tone={keyTitle ? 'warning' : 'destructive'}
      title={keyTitle ?? 'The models were not asked'}
      action={
        keyTitle && (
          <Link
            to="/settings"
            search={{ tab: 'api-keys' }}
            className={buttonClass({ size: 'sm', className: 'max-md:h-10' })}
          >
            Open Settings
          </Link>
        )
      }
    >
      {errorText(error, 'Something went wrong on the way.')}
    </Notice>
  );
}
