import { Link } from '@tanstack/react-router';
import { KeyRound, RotateCw } from 'lucide-react';
import { ApiError, errorText } from '#web/lib/api-client.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { Notice } from '#web/ui/states/notice.tsx';

type KeyPanelProps = {
  /** Why models or files could not be loaded. */
  error: Error;
  isTrying: boolean;
  onTryAgain: () => void;
  /** A muted notice above a list that can still be shown. */
  quiet: boolean;
};

const keyIsMissing = (error: Error) => error instanceof ApiError && error.code === 'no_api_key';

/** Shown where a provider key is needed. */
export function KeyPanel({ error, isTrying, onTryAgain, quiet }: KeyPanelProps) {
  const text = keyIsMissing(error)
    ? 'Fine-tuning runs on your own account with the provider. Save your API key in Settings to see the models that can be trained and to create jobs.'
    : `Fine-tuning runs on your own account with the provider, which could not be reached: ${errorText(error)}`;
  const action = (
    <>
      <Link
        to="/settings"
        search={{ tab: 'api-keys' }}
        className={buttonClass({ variant: quiet ? 'secondary' : 'primary', size: quiet ? 'sm' : 'md' })}
      >
        Go to Settings
      </Link>
      {!keyIsMissing(error) && (
        <Button icon={RotateCw} size={quiet ? 'sm' : 'md'} busy={isTrying} onClick={onTryAgain}>
          Try Again
        </Button>
      )}
    </>
  );
  if (quiet)
    return (
      <Notice tone="warning" title="API key required" action={action} className="mb-4">
        {text}
      </Notice>
    );
  return <EmptyState icon={KeyRound} title="API key required" text={text} action={action} />;
}
