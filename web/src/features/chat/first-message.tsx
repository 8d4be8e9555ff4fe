import type { PendingMessage } from './message-changes.ts';
import { PendingQuestion } from './pending-question.tsx';

// What a conversation begins with, all but the place where it is written.
export { AnswererMenu } from './answerer-menu.tsx';
export { ComposerNotices } from './composer-notices.tsx';
export { pendingMessage } from './message-changes.ts';
export { startThread, UnfinishedStart } from './mutations.ts';

/** Where the list of messages will show it. */
export function FirstQuestion({ pending }: { pending: PendingMessage }) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 pt-12 max-md:px-3">
      <div className="mx-auto max-w-[760px]">
        <PendingQuestion pending={pending} />
      </div>
    </div>
  );
}
