import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { errorText } from '#web/lib/api.ts';
import { loadedPart } from '#web/lib/loaded-part.tsx';
import { afterUsable } from '#web/lib/usable.ts';
import { classNames } from '#web/ui/class-names.ts';
import { SpinnerPanel } from '#web/ui/spinner.tsx';
import { toast } from '#web/ui/toast-store.ts';
import { NewThreadPane } from './new-thread-pane.tsx';
import { forgetMiddle, loadAround } from './queries.ts';
import { ThreadColumn } from './thread-column.tsx';

const ThreadPane = loadedPart(async () => (await import('./thread-pane.tsx')).ThreadPane);
const StartChatDialog = lazy(async () => ({ default: (await import('./start-chat-dialog.tsx')).StartChatDialog }));

/** What a conversation is drawn with; a new one does without it at first. */
export const loadThreadPane = ThreadPane.load;
afterUsable(loadThreadPane).catch(() => undefined);

type ChatPageProps = { threadId?: number | undefined; assistantId?: number | undefined };

/** The message of a search result that is to be shown. */
type Target = { threadId: number; messageId: number };

/** Conversations at the left, the open one beside it; on a phone one of the two. */
export function ChatPage({ threadId, assistantId }: ChatPageProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [choosing, setChoosing] = useState(false);
  /** A new chat without an assistant has no address of its own. */
  const [startsPlain, setStartsPlain] = useState(false);
  const [target, setTarget] = useState<Target | null>(null);

  const openThread = (id: number) => {
    forgetMiddle(client, id);
    setStartsPlain(false);
    setTarget(null);
    void navigate({ to: '/chat/$threadId', params: { threadId: String(id) } });
  };
  const openMatch = async (found: Target) => {
    try {
      await loadAround(client, found.threadId, found.messageId);
    } catch (error) {
      return toast({ title: 'The message could not be opened', description: errorText(error), variant: 'destructive' });
    }
    setStartsPlain(false);
    setTarget(found);
    await navigate({ to: '/chat/$threadId', params: { threadId: String(found.threadId) } });
  };
  const startChat = (id: number | null) => {
    setChoosing(false);
    setStartsPlain(id === null);
    setTarget(null);
    void navigate({ to: '/chat', search: id === null ? {} : { assistant: id } });
  };
  const showList = () => {
    setStartsPlain(false);
    void navigate({ to: '/chat', search: {} });
  };

  const showsPane = threadId !== undefined || assistantId !== undefined || startsPlain;
  return (
    <div className="flex h-full min-h-0">
      {showsPane && <h1 className="sr-only md:hidden">Chat with AI</h1>}
      <ThreadColumn
        openThreadId={threadId}
        onOpen={openThread}
        onOpenMatch={openMatch}
        onNewChat={() => setChoosing(true)}
        onStartChat={startChat}
        onRemoved={(id) => id === threadId && showList()}
        className={classNames('w-76 shrink-0 border-border border-e max-md:w-full', showsPane && 'max-md:hidden')}
      />
      <div className={classNames('min-h-0 min-w-0 flex-1', !showsPane && 'max-md:hidden')}>
        {threadId === undefined ? (
          <NewThreadPane
            assistantId={assistantId ?? (startsPlain ? null : undefined)}
            onBack={showList}
            onStarted={openThread}
            onChoose={startChat}
          />
        ) : (
          <Suspense fallback={<SpinnerPanel label="Loading the conversation" className="h-full" />}>
            <ThreadPane
              key={threadId}
              threadId={threadId}
              targetId={target?.threadId === threadId ? target.messageId : null}
              onBack={showList}
              onRemoved={showList}
            />
          </Suspense>
        )}
      </div>
      {choosing && (
        <Suspense>
          <StartChatDialog onOpenChange={setChoosing} onStart={startChat} />
        </Suspense>
      )}
    </div>
  );
}
