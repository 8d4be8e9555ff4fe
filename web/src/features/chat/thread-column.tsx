import { Archive, ArrowLeft, Plus, Search, X } from 'lucide-react';
import { useDeferredValue, useEffect, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Input } from '#web/ui/input.tsx';
import { AssistantList } from './assistant-list.tsx';
import { ThreadList } from './thread-list.tsx';

type ThreadColumnProps = {
  openThreadId: number | undefined;
  onOpen: (threadId: number) => void;
  onOpenMatch: (match: { threadId: number; messageId: number }) => void;
  onNewChat: () => void;
  onStartChat: (assistantId: number) => void;
  onRemoved: (threadId: number) => void;
  className: string;
};

/** The text once it has stood still for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), text === '' ? 0 : 220);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Finding a conversation, or beginning one. */
export function ThreadColumn(props: ThreadColumnProps) {
  const { openThreadId, onOpen, onOpenMatch, onNewChat, onStartChat, onRemoved, className } = props;
  const [typed, setTyped] = useState('');
  const [archived, setArchived] = useState(false);
  const q = useDeferredValue(useSettled(typed.trim()));
  const title = archived ? 'Archived Conversations' : 'Recent Conversations';

  return (
    <section aria-label="Conversations" className={classNames('flex min-h-0 flex-col bg-card', className)}>
      <header className="flex h-14 shrink-0 items-center gap-2 pr-3 pl-4 max-md:h-16 max-md:pl-16">
        <h1 className="min-w-0 flex-1 truncate font-semibold text-lg tracking-[-0.012em]">Chat with AI</h1>
        <Button size="sm" variant="primary" icon={Plus} onClick={onNewChat} className="max-md:h-10">
          New Chat
        </Button>
      </header>
      <div className="relative mx-3 mb-2 shrink-0">
        <Search
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted-foreground"
        />
        <Input
          type="search"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && typed !== '') {
              event.preventDefault();
              setTyped('');
            }
          }}
          maxLength={200}
          placeholder="Search conversations"
          aria-label="Search conversations"
          className="pr-9 pl-9 [&::-webkit-search-cancel-button]:hidden"
        />
        {typed !== '' && (
          <IconButton
            label="Clear search"
            icon={X}
            size="sm"
            onClick={() => setTyped('')}
            className="absolute top-1/2 right-1 -translate-y-1/2"
          />
        )}
      </div>
      <div className="flex h-8 shrink-0 items-center gap-1 pr-3 pl-4">
        <h2 className="min-w-0 flex-1 truncate font-medium text-muted-foreground text-sm">
          {q === '' ? title : archived ? 'Found in the archive' : 'Found'}
        </h2>
        <IconButton
          label={archived ? 'Back to recent conversations' : 'Show archived conversations'}
          icon={archived ? ArrowLeft : Archive}
          size="sm"
          aria-pressed={archived}
          onClick={() => setArchived(!archived)}
          className="max-md:size-10"
        />
      </div>
      <ThreadList
        key={`${archived} ${q}`}
        filter={{ q, archived }}
        openThreadId={openThreadId}
        onOpen={onOpen}
        onOpenMatch={onOpenMatch}
        onRemoved={onRemoved}
      />
      <AssistantList onStartChat={onStartChat} />
    </section>
  );
}
