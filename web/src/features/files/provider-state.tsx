import type { File } from '@roster/contracts/files/files';
import { providerNameIn } from '@roster/contracts/provider-name';
import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, Clock, HardDrive, KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { useRetryFile } from '#web/api/files.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import type { Icon } from '#web/ui/icon.ts';
import { Spinner } from '#web/ui/states/spinner.tsx';

const linkClass = 'font-medium text-primary-text underline-offset-4 hover:underline';

/** State of a file's provider copy. */
export function ProviderState({ file }: { file: File }) {
  const name = useProviderName();
  const { state, error } = file.provider;
  switch (state) {
    case 'waiting_for_key':
      return (
        <Line icon={KeyRound}>
          Waiting for key:{' '}
          <Link to="/settings" search={{ tab: 'api-keys' }} className={linkClass}>
            add your API key
          </Link>
        </Line>
      );
    case 'queued':
      return <Line icon={Clock}>{error ? `Will be sent again: ${error}` : `Waiting to be forwarded to ${name}`}</Line>;
    case 'forwarding':
      return <Line icon={Spinner}>{`Forwarding to ${name}`}</Line>;
    case 'ready':
      return (
        <Line icon={CircleCheck} look="text-success-text">
          {`Ready at ${name}`}
        </Line>
      );
    case 'not_served':
      return <Line icon={HardDrive}>{error ?? `${providerNameIn('beginning', name)} does not keep files`}</Line>;
    case 'failed':
      return (
        <Line icon={CircleAlert} look="text-destructive-text">
          <span className="text-destructive-text">{`Failed at ${name}${error ? `: ${error}` : ''}`}</span>{' '}
          <Retry file={file} />
        </Line>
      );
  }
}

function Line({ icon: IconPart, look, children }: { icon: Icon; look?: string; children: ReactNode }) {
  return (
    <span className="wrap-anywhere flex gap-1.5 whitespace-normal font-normal text-muted-foreground text-sm">
      <span className={`flex h-5 shrink-0 items-center ${look ?? ''}`}>
        <IconPart aria-hidden className="size-3.5" />
      </span>
      <span className="min-w-0">{children}</span>
    </span>
  );
}

function Retry({ file: { id, filename } }: { file: File }) {
  const retry = useRetryFile();
  const { mayEdit } = useEditAccess();
  if (!mayEdit) return null;
  const again = () => {
    if (retry.isPending) return;
    retry.mutate(id, {
      onError: showFailure('Forwarding failed', 'Please try again.'),
    });
  };
  return (
    <button
      type="button"
      aria-label={`Try again to forward ${filename}`}
      aria-busy={retry.isPending || undefined}
      onClick={again}
      className={linkClass}
    >
      {retry.isPending ? 'Trying again...' : 'Try again'}
    </button>
  );
}
