import { useQuery } from '@tanstack/react-query';
import { MessageSquareOff } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useRef } from 'react';
import { ApiError, errorText } from '#web/lib/api.ts';
import { isOverBudget } from '#web/lib/over-budget.ts';
import { toast } from '#web/lib/toast.ts';
import { afterUsable } from '#web/lib/usable.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { onDemand } from '#web/ui/markdown/on-demand.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { AttachmentLook } from './attachment-look.tsx';
import { Composer } from './composer.tsx';
import type { CorrectionDialogProps } from './correction-dialog.tsx';
import { focusUnlessTouch } from './focus-unless-touch.ts';
import type { MessageListHandle } from './message-list.tsx';
import { PaneHeader } from './pane-header.tsx';
import { messagesQuery } from './queries.ts';
import { ThreadActionsContext } from './thread-actions.ts';
import { ThreadHeader } from './thread-header.tsx';
import { answererOf, useAnswerers } from './use-assistants.ts';
import { useEscape } from './use-escape.ts';
import { useOpenThread } from './use-open-thread.ts';

type ThreadPaneProps = {
  threadId: number;
  targetId: number | null;
  onBack: () => void;
  onRemoved: () => void;
};

const loadSendFailure = () => import('./send-failure.tsx');
const SendFailure = lazy(async () => ({ default: (await loadSendFailure()).SendFailure }));
// Before it is needed: a failure may be that nothing can be loaded any more.
afterUsable(loadSendFailure).catch(() => undefined);
const SeveralNotice = lazy(async () => ({ default: (await import('./several-notice.tsx')).SeveralNotice }));
const BudgetNotice = lazy(async () => ({
  default: (await afterUsable(() => import('./budget-notice.tsx'))).BudgetNotice,
}));

/** What draws the answers comes with it, unless it cannot be had. */
async function loadMessageList() {
  const [{ MessageList: List }] = await Promise.all([
    import('./message-list.tsx'),
    import('#web/ui/markdown/answer-text.tsx').then(({ loadAnswerText }) => loadAnswerText()).catch(() => undefined),
  ]);
  return { default: List };
}
const MessageList = lazy(() => afterUsable(loadMessageList));

const CorrectionDialog = onDemand<CorrectionDialogProps>(
  async () => (await import('./correction-dialog.tsx')).CorrectionDialog,
  NoDialog,
);

/** Where its code cannot be loaded. */
function NoDialog({ onClose }: CorrectionDialogProps) {
  useEffect(() => {
    toast({
      title: 'The answer cannot be corrected',
      description: 'Reload the page and try again.',
      variant: 'destructive',
    });
    onClose();
  }, [onClose]);
  return null;
}

/** One conversation: its messages, and the composer below. */
export function ThreadPane({ threadId, targetId, onBack, onRemoved }: ThreadPaneProps) {
  const list = useRef<MessageListHandle>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const messages = useQuery(messagesQuery(threadId));
  const open = useOpenThread(threadId, list, box);
  const {
    thread,
    actions,
    improving,
    editingId,
    runId,
    stop,
    stopping,
    failure,
    pending,
    several,
    setSeveral,
    sending,
    send,
    editLast,
  } = open;
  const { improve } = actions;
  const stopImproving = useCallback(() => improve(null), [improve]);
  const answerer = answererOf(useAnswerers(), actions.choice);

  useEffect(() => focusUnlessTouch(box.current), []);
  // Back to the composer after editing, so that the keyboard goes on where it was.
  useEffect(() => {
    if (editingId === null && improving === null && document.activeElement === document.body)
      focusUnlessTouch(box.current);
  }, [editingId, improving]);
  useEscape(runId === null ? null : stop);

  const error = thread.error ?? messages.error;
  if (error instanceof ApiError && error.status === 404) return <NotThere onBack={onBack} />;
  return (
    <section aria-label={thread.data?.title ?? 'Conversation'} className="relative flex h-full min-h-0 flex-col">
      <ThreadHeader
        thread={thread.data}
        onBack={onBack}
        onRemoved={onRemoved}
        onChoose={(choice) => {
          setSeveral([]);
          actions.choose(choice);
        }}
        several={{ models: several, onChoose: setSeveral }}
      />
      <ThreadActionsContext value={actions}>
        {messages.data ? (
          <AttachmentLook box={box}>
            <Suspense fallback={<LoadingMessages />}>
              <MessageList
                ref={list}
                threadId={threadId}
                window={messages.data}
                pending={pending}
                editingId={editingId}
                targetId={targetId}
              />
            </Suspense>
          </AttachmentLook>
        ) : error && !messages.isFetching ? (
          <div className="min-h-0 flex-1 overflow-y-auto p-6">
            <ErrorState
              title="The conversation could not be loaded"
              message={errorText(error)}
              onRetry={() => {
                void thread.refetch();
                void messages.refetch();
              }}
            />
          </div>
        ) : (
          <LoadingMessages />
        )}
        {improving && <CorrectionDialog message={improving} onClose={stopImproving} />}
        <output className="sr-only">{runId === null ? '' : 'An answer is being written'}</output>
      </ThreadActionsContext>
      <Composer
        ref={box}
        place={`chat:${threadId}`}
        placeholder={answerer && answerer.assistantId !== null ? `Message ${answerer.name}` : 'Write a message'}
        onSend={send}
        sending={sending}
        onStop={runId === null ? undefined : stop}
        stopping={stopping}
        onEditLast={editLast}
        notice={(sendOverBudget) => (
          <Suspense>
            {several.length > 0 && <SeveralNotice models={several} onClear={() => setSeveral([])} />}
            {failure && <SendFailure error={failure.error} onSendOverBudget={failure.insist ?? sendOverBudget} />}
            {!isOverBudget(failure?.error) && (
              <BudgetNotice assistantId={thread.data?.assistantId ?? null} isAnswering={runId !== null} />
            )}
          </Suspense>
        )}
      />
    </section>
  );
}

function NotThere({ onBack }: { onBack: () => void }) {
  return (
    <>
      <div className="md:hidden">
        <PaneHeader onBack={onBack} />
      </div>
      <div className="p-6">
        <EmptyState
          icon={MessageSquareOff}
          title="This conversation is not there"
          text="It may have been deleted, or it belongs to another account."
          action={<Button onClick={onBack}>Back to the conversations</Button>}
        />
      </div>
    </>
  );
}

function LoadingMessages() {
  return (
    <div aria-busy="true" className="min-h-0 flex-1 overflow-hidden px-4">
      <span className="sr-only">Loading messages</span>
      <div className="mx-auto flex h-full max-w-[760px] flex-col justify-end gap-6 pb-10">
        <Skeleton className="h-11 w-1/2 self-end rounded-lg" />
        <div className="space-y-2.5">
          <Skeleton className="h-4 w-11/12" />
          <Skeleton className="h-4 w-full" />
          <Skeleton className="h-4 w-2/3" />
        </div>
        <Skeleton className="h-11 w-1/3 self-end rounded-lg" />
        <div className="space-y-2.5">
          <Skeleton className="h-4 w-full" />
          <Skeleton className="h-4 w-4/5" />
        </div>
      </div>
    </div>
  );
}
