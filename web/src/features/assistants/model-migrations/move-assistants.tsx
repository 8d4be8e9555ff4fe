import { Suspense } from 'react';
import { loadedPart } from '#web/ui/loaded-part.tsx';
import type { MoveDialogProps } from './move-dialog.tsx';
import type { ReplayDialogProps } from './replay-dialog.tsx';

const MoveDialog = loadedPart<MoveDialogProps>(async () => (await import('./move-dialog.tsx')).MoveDialog);

const ReplayDialog = loadedPart<ReplayDialogProps>(async () => (await import('./replay-dialog.tsx')).ReplayDialog);

/** The dialog that moves assistants to another model; its code comes with it. */
export function MoveAssistants(props: MoveDialogProps) {
  return (
    <Suspense>
      <MoveDialog {...props} />
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
