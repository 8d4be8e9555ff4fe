import { Link } from '@tanstack/react-router';
import { ApiError, errorText } from '#web/lib/api.ts';
import { buttonClass } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { UnfinishedStart } from './mutations.ts';

const aboutKey = new Map([
  ['no_api_key', 'No API key is saved'],
  ['key_unreadable', 'The saved API key cannot be read'],
]);

/** Why a message was not sent, above the composer that still holds it. */
export function SendFailure({ error }: { error: unknown }) {
  const cause = error instanceof UnfinishedStart ? error.cause : error;
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
