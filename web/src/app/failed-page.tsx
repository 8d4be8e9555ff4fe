import type { ErrorComponentProps } from '@tanstack/react-router';
import { errorText } from '#web/lib/api.ts';
import { ErrorState } from '#web/ui/error-state.tsx';

/** A page that could not be shown: its code did not arrive (a new version was installed, the network is gone) or it broke. */
export function FailedPage({ error }: ErrorComponentProps) {
  return (
    <main className="mx-auto max-w-lg px-4 pt-24">
      <h1 className="sr-only">Roster</h1>
      <ErrorState
        title="This page could not be shown"
        message={errorText(error)}
        onRetry={() => window.location.reload()}
      />
    </main>
  );
}
