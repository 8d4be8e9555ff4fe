import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { isAppReady } from '#web/lib/app-ready.ts';
import { lazyPart, preloadOnceUsable } from '#web/lib/lazy.ts';
import { classNames } from '#web/ui/class-names.ts';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { keptSearch } from './search/search-address.ts';
import type { FoundMessage, Match } from './shared/thread-state.ts';
import type { Choice } from './shared/use-assistants.ts';
import { ThreadColumn } from './threads/thread-column.tsx';

// Separate chunks: an address needs one of the two first.
const pending = () => <SpinnerPanel label="Loading the conversation" className="h-full" />;
const NewThreadPane = lazyPart(async () => (await import('./threads/new-thread-pane.tsx')).NewThreadPane, { pending });
const ThreadPane = lazyPart(
  async () => {
    const { ThreadPane: Pane, loadOpenThread } = await import('./threads/thread-pane.tsx');
    // After the first page, wait for the messages' chunk as well; the first page must not.
    if (isAppReady()) await loadOpenThread();
    return Pane;
  },
  { pending },
);
const StartChatDialog = lazyPart(async () => (await import('./chat-targets/start-chat-dialog.tsx')).StartChatDialog);

/** Preloads the panes of an existing and of a new conversation. */
export const loadThreadPane = ThreadPane.load;
export const loadNewThreadPane = NewThreadPane.load;
for (const load of [loadThreadPane, loadNewThreadPane]) preloadOnceUsable(load);

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The search hit to show in the conversation. */
    found?: FoundMessage | undefined;
  }
}

type ChatPageProps = {
  threadId?: number | undefined;
  assistantId?: number | undefined;
  isNew?: boolean;
  projectId?: number | undefined;
  /** Models that a new conversation asks side by side. */
  models?: readonly string[] | undefined;
};

/** The open conversation, from the address and from state, and functions to open another. */
function useOpened() {
  const navigate = useNavigate();
  /** A new chat without an assistant has no address of its own. */
  const [plain, setPlain] = useState<Choice | undefined>(undefined);
  const target = useRouterState({ select: ({ location }) => location.state.found ?? null });
  const open = (threadId: number, found: FoundMessage | undefined) => {
    setPlain(undefined);
    const params = { threadId: String(threadId) };
    void navigate({ to: '/chat/$threadId', params, search: keptSearch, state: { found } });
  };
  return {
    plain,
    target,
    openThread: (id: number) => open(id, undefined),
    openMatch: ({ threadId, messageId, query }: Match) => open(threadId, { messageId, query }),
    startChat(choice: Choice, project?: number) {
      setPlain(choice.assistantId === null ? choice : undefined);
      void navigate({
        to: '/chat',
        search: (before) => ({
          ...keptSearch(before),
          project,
          ...(choice.assistantId === null ? { new: true } : { assistant: choice.assistantId }),
        }),
      });
    },
    showList() {
      setPlain(undefined);
      return navigate({ to: '/chat', search: keptSearch });
    },
  };
}

/** List of conversations on the left, the open one beside it; on phones one of the two. */
export function ChatPage({ threadId, assistantId, isNew, projectId, models }: ChatPageProps) {
  const [choosing, setChoosing] = useState(false);
  const { plain, target, openThread, openMatch, startChat, showList } = useOpened();
  const startWith = (id: number | null) => {
    setChoosing(false);
    startChat({ assistantId: id, model: null });
  };

  const showsPane = threadId !== undefined || assistantId !== undefined || plain !== undefined || isNew;
  return (
    <div className="flex h-full min-h-0">
      {showsPane && <h1 className="sr-only md:hidden">Chat with AI</h1>}
      <ThreadColumn
        openThreadId={threadId}
        onOpen={openThread}
        onOpenMatch={openMatch}
        onNewChat={() => setChoosing(true)}
        onStartChat={startWith}
        onRemoved={(id) => (id === threadId ? showList() : undefined)}
        className={classNames('w-76 shrink-0 border-border border-e max-md:w-full', showsPane && 'max-md:hidden')}
      />
      <div className={classNames('min-h-0 min-w-0 flex-1', !showsPane && 'max-md:hidden')}>
        {threadId === undefined ? (
          <NewThreadPane
            key={models?.join()}
            choice={assistantId === undefined ? plain : { assistantId, model: null }}
            models={models}
            onBack={showList}
            onStarted={openThread}
            onChoose={startChat}
            projectId={projectId}
          />
        ) : (
          <ThreadPane
            key={threadId}
            threadId={threadId}
            target={target}
            onBack={showList}
            onStarted={openThread}
            onRemoved={showList}
          />
        )}
      </div>
      {choosing && <StartChatDialog onOpenChange={setChoosing} onStart={startWith} />}
    </div>
  );
}
