import type { ErrorComponentProps } from '@tanstack/react-router';
import { use } from 'react';
import { errorText } from '#web/lib/api-client.ts';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { MainLandmarkContext } from './main-landmark-context.ts';

/** A page that could not be shown: its code did not arrive (a new version was installed, the network is gone) or it broke. */
export function FailedPage({ error }: ErrorComponentProps) {
  const Frame = use(MainLandmarkContext) ? 'div' : 'main';
  return (
    <Frame className="mx-auto max-w-lg px-4 pt-24">
      <h1 className="sr-only">Roster</h1>
      <ErrorState
        title="This page could not be shown"
        message={errorText(error)}
        onRetry={() => window.location.reload()}
      />
    </Frame>
  );
}
