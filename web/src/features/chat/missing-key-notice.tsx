import { Link } from '@tanstack/react-router';
import { buttonClass } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';

export function MissingKeyNotice() {
  return (
    <Notice
      title="An API key is needed to chat"
      className="mb-2"
      action={
        <Link
          to="/settings"
          search={{ tab: 'api-keys' }}
          className={buttonClass({ size: 'sm', className: 'max-md:h-10' })}
        >
          Open Settings
        </Link>
      }
    >
      Answers come from your own account at the provider. Save its API key in Settings first.
    </Notice>
  );
}
