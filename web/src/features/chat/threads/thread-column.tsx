import { usePrefetchQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { useIsSearching, useSearchText } from '#web/features/chat/search/search-address.ts';
import { LoadingAssistants, LoadingThreads } from '#web/features/chat/shared/loading-lists.tsx';
import { type ThreadView, threadListQuery } from '#web/features/chat/shared/queries.ts';
import type { Match } from '#web/features/chat/shared/thread-state.ts';
import { afterContent, whenAppReady } from '#web/lib/app-ready.ts';
import { lazyModule, lazyPart } from '#web/lib/lazy.ts';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { SearchField } from '#web/ui/forms/search-field.tsx';
import { MenuButton } from '#web/ui/top-bar.tsx';

const threadList = lazyModule(() => whenAppReady(() => import('./thread-list.tsx')));

const AssistantList = lazyPart(
  async () => (await afterContent(() => import('#web/features/chat/chat-targets/assistant-list.tsx'))).AssistantList,
  { pending: ComingAssistants },
);

const titles = {
  recent: 'Recent Conversations',
  programs: 'By Programs',
  archived: 'Archived Conversations',
};
const found = { recent: 'Search results', programs: 'Results by programs', archived: 'Results in the archive' };

type ThreadColumnProps = {
  openThreadId: number | undefined;
  onOpen: (threadId: number) => void;
  onOpenMatch: (match: Match) => void;
  onNewChat: () => void;
  onStartChat: (assistantId: number) => void;
  onRemoved: (threadId: number) => unknown;
  className: string;
};

/** Column with search, New Chat and the lists. */
export function ThreadColumn(props: ThreadColumnProps) {
  const { openThreadId, onOpen, onOpenMatch, onNewChat, onStartChat, onRemoved, className } = props;
  const [searched, setSearched] = useSearchText();
  const isSearching = useIsSearching();
  const [view, setView] = useState<ThreadView>('recent');
  const q = useDeferredValue(searched);
  const parts = threadList.use();
  // Fetched in parallel with the chunk that renders it.
  usePrefetchQuery(threadListQuery({ q: '', view: 'recent' }));

  return (
    <section aria-label="Conversations" className={classNames('flex min-h-0 flex-col bg-card', className)}>
      <header className="flex h-14 shrink-0 items-center gap-2 pe-3 ps-4 max-md:mb-3 max-md:gap-1 max-md:border-border max-md:border-b max-md:bg-background">
        <MenuButton />
        <h1 className="min-w-0 flex-1 truncate font-semibold text-lg tracking-[-0.012em]">Chat with AI</h1>
        <Button size="sm" variant="primary" icon={Plus} onClick={onNewChat} className="max-md:h-10">
          New Chat
        </Button>
      </header>
      <SearchField
        text={searched}
        onSearch={setSearched}
        label="Search conversations"
        placeholder="Search conversations"
        maxLength={200}
        className="mx-3 mb-2 shrink-0"
      />
      {parts ? <parts.ProjectSection /> : <div className="h-9" />}
      <div className="flex h-8 shrink-0 items-center gap-1 pe-3 ps-4">
        <h2 className="min-w-0 flex-1 truncate font-medium text-muted-foreground text-sm">
          {(q === '' ? titles : found)[view]}
        </h2>
        {parts && <parts.ViewButtons view={view} onChange={setView} />}
      </div>
      {parts ? (
        <parts.ThreadList
          key={`${view} ${q}`}
          filter={{ q, view }}
          openThreadId={openThreadId}
          onOpen={onOpen}
          onOpenMatch={onOpenMatch}
          onRemoved={onRemoved}
        />
      ) : (
        <LoadingThreads />
      )}
      {/* Results need the room; on small screens only two would be visible. */}
      {!isSearching && <AssistantList onStartChat={onStartChat} />}
    </section>
  );
}

/** As high as the list it replaces. */
function ComingAssistants() {
  return (
    <section className="max-h-[38%] shrink-0 border-border border-t pb-2">
      <h2 className="flex min-h-10 items-center px-4 pt-2 font-medium text-muted-foreground text-sm max-md:min-h-12">
        Your Assistants
      </h2>
      <LoadingAssistants />
    </section>
  );
}
