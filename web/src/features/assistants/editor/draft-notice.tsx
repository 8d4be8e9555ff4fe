import type { KeptDraft } from '@roster/contracts/assistants/drafts';
import { Button } from '#web/ui/button.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { Notice } from '#web/ui/states/notice.tsx';

type DraftNoticeProps = {
  draft: KeptDraft;
  /** The current version; null: a new assistant. */
  version: number | null;
  onRestore: () => void;
  onDiscard: () => void;
};

/** Offers what was typed and left without saving. */
export function DraftNotice({ draft, version, onRestore, onDiscard }: DraftNoticeProps) {
  return (
    <Notice
      className="mb-4"
      title="You have unsaved changes"
      action={
        <>
          <Button size="sm" variant="primary" onClick={onRestore}>
            Restore them
          </Button>
          <Button size="sm" variant="ghost" onClick={onDiscard}>
            Discard
          </Button>
        </>
      }
    >
      Kept <RelativeTime date={draft.savedAt} />.
      {draft.version !== version && ' The assistant has been saved since then, so review them before you save.'}
    </Notice>
  );
}
