import { PendingQuestion } from '#web/features/chat/messages/pending-question.tsx';
import type { PendingMessage } from '#web/features/chat/shared/message-changes.ts';

// Everything a new conversation needs besides the composer.
export { ChatTargetMenu } from '#web/features/chat/chat-targets/chat-target-menu.tsx';
export { CompareButton } from '#web/features/chat/chat-targets/compare-button.tsx';
export { ComposerNotices } from '#web/features/chat/composer/composer-notices.tsx';
export { ProjectNotice } from '#web/features/chat/projects/project-notice.tsx';
export { pendingMessage } from '#web/features/chat/shared/message-changes.ts';
export { startThread, UnfinishedStartError as UnfinishedStart } from '#web/features/chat/shared/mutations.ts';
export { TemporaryNotice } from '#web/features/chat/temporary/temporary-notice.tsx';
export { TemporarySwitch } from '#web/features/chat/temporary/temporary-switch.tsx';

/** Placed where the message list will show it. */
export function FirstQuestion({ pending }: { pending: PendingMessage }) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 pt-12 max-md:px-3">
      <div className="mx-auto max-w-[760px]">
        <PendingQuestion pending={pending} />
      </div>
    </div>
  );
}
