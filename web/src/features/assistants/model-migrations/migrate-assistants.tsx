import { Suspense } from 'react';
import { loadedPart } from '#web/ui/loaded-part.tsx';
import type { MigrateDialogProps } from './migrate-dialog.tsx';
import type { ReplayDialogProps } from './replay-dialog.tsx';

const MigrateDialog = loadedPart<MigrateDialogProps>(async () => (await import('./migrate-dialog.tsx')).MigrateDialog);

const ReplayDialog = loadedPart<ReplayDialogProps>(async () => (await import('./replay-dialog.tsx')).ReplayDialog);

/** The dialog that moves assistants to another model; its code comes with it. */
export function MigrateAssistants(props: MigrateDialogProps) {
  return (
    <Suspense>
      <MigrateDialog {...props} />
    </Suspense>
  );
}

/** The dialog that tries another model on real questions; likewise. */
export function ReplayQuestions(props: ReplayDialogProps) {
  return (
    <Suspense>
      <ReplayDialog {...props} />
    </Suspense>
  );
}
