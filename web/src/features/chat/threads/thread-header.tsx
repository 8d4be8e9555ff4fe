import type { Thread } from '@roster/contracts/chat';
import { Ellipsis } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ChatTargetMenu } from '#web/features/chat/chat-targets/chat-target-menu.tsx';
import type { ChatTargetPickerProps } from '#web/features/chat/chat-targets/chat-target-picker.tsx';
import type { Choice } from '#web/features/chat/shared/use-assistants.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { Badge } from '#web/ui/badge.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { CreatedByToken } from './created-by-token.tsx';
import { PaneHeader } from './pane-header.tsx';
import { RenameField } from './rename-field.tsx';
import { ThreadMenu } from './thread-menu.tsx';

const ProjectLink = lazyPart(async () => (await import('#web/features/chat/projects/project-link.tsx')).ProjectLink, {
  failed: () => null,
});

type ThreadHeaderProps = {
  thread: Thread | undefined;
  onBack: () => void;
  onRemoved: () => unknown;
  onFind: () => void;
  onChoose: (choice: Choice) => void;
  modelSelection: ChatTargetPickerProps['modelSelection'];
  map: ReactNode;
};

export function ThreadHeader({ thread, onBack, onRemoved, onFind, onChoose, modelSelection, map }: ThreadHeaderProps) {
  const [renaming, setRenaming] = useState(false);
  if (!thread) return <PaneHeader onBack={onBack} />;
  return (
    <>
      <title>{`${thread.title} · Roster`}</title>
      <PaneHeader
        onBack={onBack}
        title={
          renaming ? (
            <RenameField thread={thread} onDone={() => setRenaming(false)} className="min-w-0 flex-1" />
          ) : (
            <>
              <h2 dir="auto" className="min-w-0 flex-1 truncate font-medium" title={thread.title}>
                {thread.title}
              </h2>
              {thread.projectId !== undefined && <ProjectLink projectId={thread.projectId} />}
              <CreatedByToken name={thread.madeBy} className="max-w-[30%]" />
              {thread.temporary && <Badge>Temporary</Badge>}
              {thread.archived && <Badge className="max-md:hidden">Archived</Badge>}
            </>
          )
        }
        chatTarget={<ChatTargetMenu current={thread} onChoose={onChoose} modelSelection={modelSelection} />}
        action={
          <>
            {map}
            {/* The bar below keeps or closes a temporary one; it is in no list to be pinned, archived or exported from. */}
            {!thread.temporary && (
              <ThreadMenu
                thread={thread}
                onRename={() => setRenaming(true)}
                onFind={onFind}
                onRemoved={onRemoved}
                trigger={<IconButton label="Conversation actions" icon={Ellipsis} className="max-md:size-10" />}
              />
            )}
          </>
        }
      />
    </>
  );
}
