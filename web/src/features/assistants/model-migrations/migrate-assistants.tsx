import { lazyPart } from '#web/lib/lazy.ts';
import type { MigrateDialogProps } from './migrate-dialog.tsx';
import type { ReplayDialogProps } from './replay-dialog.tsx';

/** Dialog that migrates assistants to another model. */
export const MigrateAssistants = lazyPart<MigrateDialogProps>(
  async () => (await import('./migrate-dialog.tsx')).MigrateDialog,
);

/** Dialog that tests another model on real questions. */
export const ReplayQuestions = lazyPart<ReplayDialogProps>(
  async () => (await import('./replay-dialog.tsx')).ReplayDialog,
);
