import { useQuery } from '@tanstack/react-query';
import { MessageSquareOff } from 'lucide-react';
import {
  lazy,
  memo,
  type ReactNode,
  type RefObject,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react';
import { ApiError, errorText } from '#web/lib/api.ts';
import { isOverBudget } from '#web/lib/over-budget.ts';
import { afterUsable } from '#web/lib/usable.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { onDemand } from '#web/ui/markdown/on-demand.tsx';
import { toast } from '#web/ui/toast-store.ts';
import { AttachmentLook } from './attachment-look.tsx';
import type { ComposerProps } from './composer.tsx';
import type { CorrectionDialogProps } from './correction-dialog.tsx';
import { focusUnlessTouch } from './focus-unless-touch.ts';
import { LoadingMessages } from './loading-messages.tsx';
import type { MessageListHandle } from './message-list.tsx';
import { PaneHeader } from './pane-header.tsx';
import { messagesQuery } from './queries.ts';
import { ThreadActionsContext } from './thread-actions.ts';
import { ThreadHeader } from './thread-header.tsx';
import { useEscape } from './use-escape.ts';
import { useOpenThread } from './use-open-thread.ts';

/** What the composer does in an open conversation. */
export type OpenComposer = Pick<ComposerProps, 'onSend' | 'sending' | 'onStop' | 'stopping' | 'onEditLast' | 'notice'>;

export type OpenThreadProps = {
  threadId: number;
  targetId: number | null;
  box: RefObject<HTMLTextAreaElement | null>;
  onBack: () => void;
  onRemoved: () => void;
  /** Told with every change; null where the conversation is not there. */
  onComposer: (composer: OpenComposer | null) => void;
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

/** The messages of one conversation and what is above them. Drawn again only by what it is told itself. */
export const OpenThread = memo(function OpenThread(props: OpenThreadProps): ReactNode {
  const { threadId, targetId, box, onBack, onRemoved, onComposer } = props;
  const list = useRef<MessageListHandle>(null);
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

  // Back to the composer after editing, so that the keyboard goes on where it was.
  useEffect(() => {
    if (editingId === null && improving === null && document.activeElement === document.body)
      focusUnlessTouch(box.current);
  }, [editingId, improving, box]);
  useEscape(runId === null ? null : stop);

  const error = thread.error ?? messages.error;
  const isGone = error instanceof ApiError && error.status === 404;
  useLayoutEffect(() =>
    onComposer(
      isGone
        ? null
        : {
            onSend: send,
            sending,
            onStop: runId === null ? undefined : stop,
            stopping,
            onEditLast: editLast,
            notice: (sendOverBudget) => (
              <Suspense>
                {several.length > 0 && <SeveralNotice models={several} onClear={() => setSeveral([])} />}
                {failure && <SendFailure error={failure.error} onSendOverBudget={failure.insist ?? sendOverBudget} />}
                {!isOverBudget(failure?.error) && (
                  <BudgetNotice assistantId={thread.data?.assistantId ?? null} isAnswering={runId !== null} />
                )}
              </Suspense>
            ),
          },
    ),
  );
  if (isGone) return <NotThere onBack={onBack} />;
  return (
    <>
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
    </>
  );
});

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
