import { Link } from '@tanstack/react-router';
import { ApiError, errorText } from '#web/lib/api.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { UnfinishedStart } from './mutations.ts';
import { isOverBudget } from './over-budget.ts';

const aboutKey = new Map([
  ['no_api_key', 'No API key is saved'],
  ['key_unreadable', 'The saved API key cannot be read'],
]);

type SendFailureProps = { error: unknown; onSendOverBudget: () => void };

/** Why a message was not sent, above the composer that still holds it. */
export function SendFailure({ error, onSendOverBudget }: SendFailureProps) {
  const cause = error instanceof UnfinishedStart ? error.cause : error;
  if (isOverBudget(cause)) {
    return (
      <Notice
        live
        tone="warning"
        title="Your budget is used up"
        className="mb-2"
        action={
          <>
            <Button size="sm" className="max-md:h-10" onClick={onSendOverBudget}>
              Send anyway
            </Button>
            <Link to="/analytics" className={buttonClass({ size: 'sm', variant: 'ghost', className: 'max-md:h-10' })}>
              Open Analytics
            </Link>
          </>
        }
      >
        {errorText(cause)}
      </Notice>
    );
  }
  const keyTitle = cause instanceof ApiError ? aboutKey.get(cause.code) : undefined;
  return (
    <Notice
      live
      tone={keyTitle ? 'warning' : 'destructive'}
      title={keyTitle ?? 'The message was not sent'}
      className="mb-2"
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
      {errorText(cause, cause instanceof ApiError ? cause.message : 'Something went wrong on the way.')} Your text is
      kept here.
    </Notice>
  );
}
