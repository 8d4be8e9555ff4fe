import type { ErrorComponentProps } from '@tanstack/react-router';
import { use } from 'react';
import { errorText } from '#web/lib/api-client.ts';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { MainLandmarkContext } from './main-landmark-context.ts';

/** Browsers word it differently: Chromium, Firefox, Safari. */
const chunkFailure = /dynamically imported module|importing a module script failed/i;

function reasonOf(error: unknown): string {
  return error instanceof TypeError && chunkFailure.test(error.message)
    ? 'A part of it could not be loaded. Roster may have been updated, or the connection was lost.'
    : errorText(error);
}

/** Shown when a page cannot be rendered: its chunk did not load (new version, no network) or it threw. */
export function FailedPage({ error }: ErrorComponentProps) {
  const Frame = use(MainLandmarkContext) ? 'div' : 'main';
  return (
    <Frame className="mx-auto max-w-lg px-4 pt-24">
      <h1 className="sr-only">Roster</h1>
      <ErrorState
        title="This page could not be shown"
        message={reasonOf(error)}
        onRetry={() => window.location.reload()}
      />
    </Frame>
  );
}
