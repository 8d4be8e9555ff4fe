import type { Thread } from '@roster/contracts/chat';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo } from 'react';
import { AttachmentPreview } from '#web/features/chat/attachments/attachment-preview.tsx';
import { useFindBar } from '#web/features/chat/find/use-find-bar.tsx';
import { unfold } from '#web/features/chat/folding/folding.ts';
import type { CorrectionDialogProps } from '#web/features/chat/messages/correction-dialog.tsx';
import { MessageList } from '#web/features/chat/messages/load-message-list.ts';
import { LoadingMessages } from '#web/features/chat/messages/loading-messages.tsx';
import { useThreadUpdates } from '#web/features/chat/runs/use-thread-updates.ts';
import { focusUnlessTouch } from '#web/features/chat/shared/focus-unless-touch.ts';
import { type ThreadActions, ThreadActionsContext } from '#web/features/chat/shared/thread-actions.ts';
import { messagesQuery } from '#web/features/chat/shared/thread-queries.ts';
import type { FoundMessage, OpenThread as Open, ThreadState } from '#web/features/chat/shared/thread-state.ts';
import { chatTargetOf, useChatTargets } from '#web/features/chat/shared/use-assistants.ts';
import { ApiError, errorText } from '#web/lib/api-client.ts';
import { afterContent } from '#web/lib/app-ready.ts';
import { isImeKey } from '#web/lib/keyboard/enter-key.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { toastError } from '#web/lib/toast.ts';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { AssistantChanged } from './assistant-changed.tsx';
import { Greeting } from './greeting.tsx';
import { stopAnswers, threadActions } from './open-thread-actions.ts';
import { ThreadHeader } from './thread-header.tsx';
import { ThreadNotFound } from './thread-not-found.tsx';

/** Runs on Esc, unless something closer (dialog, menu, search, editor) handles it. null: do nothing. */
function useEscape(act: (() => void) | null): void {
  useEffect(() => {
    if (!act) return;
    const keyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isImeKey(event)) return;
      if (document.querySelector('[aria-modal="true"], [role="menu"]')) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', keyDown);
    return () => document.removeEventListener('keydown', keyDown);
  }, [act]);
}

// Needed by the composer of an open conversation.
export { CompareButton } from '#web/features/chat/chat-targets/compare-button.tsx';
export { ComposerNotices } from '#web/features/chat/composer/composer-notices.tsx';
export { toolsOf } from '#web/features/chat/shared/mutations.ts';
export { editLast, stopAnswers, submitMessage } from './open-thread-actions.ts';

const RetirementNotice = lazyPart(
  async () => (await afterContent(() => import('./retirement-notice.tsx'))).RetirementNotice,
);

const TemporaryBar = lazyPart(
  async () => (await import('#web/features/chat/temporary/temporary-bar.tsx')).TemporaryBar,
);

const ConversationMap = lazyPart(
  async () => (await import('#web/features/chat/map/conversation-map.tsx')).ConversationMap,
  { failed: () => null },
);

const MessageQueue = lazyPart(async () => (await import('#web/features/chat/queue/message-queue.tsx')).MessageQueue);

const CorrectionDialog = lazyPart<CorrectionDialogProps>(
  async () => (await import('#web/features/chat/messages/correction-dialog.tsx')).CorrectionDialog,
  { failed: NoDialog },
);

/** Shown if its chunk cannot be loaded. */
function NoDialog({ onClose }: CorrectionDialogProps) {
  useEffect(() => {
    toastError({
      title: 'The answer cannot be corrected',
      description: 'Reload the page and try again.',
    });
    onClose();
  }, [onClose]);
  return null;
}

type OpenThreadProps = {
  open: Open;
  state: ThreadState;
  /** The running answer. */
  runId: number | null;
  target: FoundMessage | null;
  onBack: () => void;
  onRemoved: () => unknown;
};

/** The actions on the messages of an open thread. */
export function useThreadActions(open: Open, thread: Thread | undefined, runId: number | null): ThreadActions {
  const { assistantId = null, model = null, waitsForApproval, madeBy = null } = thread ?? {};
  const isOfProgram = madeBy !== null;
  const actionsFor = useMemo(() => threadActions(open), [open]);
  return useMemo(() => {
    const wait = waitsForApproval
      ? 'Approve or deny the call first, or stop the answer.'
      : 'Wait for the answer, or stop it first.';
    return actionsFor({ assistantId, model }, runId === null ? undefined : wait, isOfProgram);
  }, [actionsFor, assistantId, model, runId, waitsForApproval, isOfProgram]);
}

/** Opens the answer that the search has found, before it is scrolled to. */
function useUnfolded({ client }: Open, target: FoundMessage | null) {
  useLayoutEffect(() => {
    if (target) unfold(client, target.messageId);
  }, [client, target]);
}

/** The messages of a conversation with its header. */
export function OpenThread({ open, state, runId, target, onBack, onRemoved }: OpenThreadProps) {
  const { threadId, box, change } = open;
  const { editingId, correcting, selectedModels } = state;
  const messages = useQuery(messagesQuery(threadId));
  const thread = useThreadUpdates(threadId);
  const actions = useThreadActions(open, thread.data, runId);
  const stop = useMemo(() => (runId === null ? null : () => stopAnswers(open, runId)), [open, runId]);
  const stopCorrecting = useCallback(() => change({ correcting: null }), [change]);

  // Return focus to the composer after editing.
  useEffect(() => {
    if (editingId === null && correcting === null && document.activeElement === document.body)
      focusUnlessTouch(box.current);
  }, [editingId, correcting, box]);
  useEscape(stop);
  useUnfolded(open, target);
  const finding = useFindBar(open, target);

  const error = thread.error ?? messages.error;
  if (error instanceof ApiError && error.status === 404) {
    const reload = () => Promise.all([thread.refetch(), messages.refetch()]);
    return <ThreadNotFound id={threadId} onBack={onBack} onRestored={reload} />;
  }
  return (
    <>
      <ThreadHeader
        thread={thread.data}
        onBack={onBack}
        onRemoved={onRemoved}
        onFind={finding.begin}
        onChoose={(choice) => {
          change({ selectedModels: [] });
          actions.choose(choice);
        }}
        map={<ConversationMap key={threadId} open={open} />}
        modelSelection={{ models: selectedModels, onChoose: (models) => change({ selectedModels: models }) }}
      />
      {thread.data?.temporary && <TemporaryBar key={threadId} threadId={threadId} onClosed={onRemoved} />}
      <ThreadActionsContext value={actions}>
        {finding.bar}
        <Messages open={open} state={state} targetId={target?.messageId ?? null} thread={thread} />
        {thread.data?.assistantId && messages.data && (
          <AssistantChanged assistantId={thread.data.assistantId} messages={messages.data} />
        )}
        {thread.data && messages.data && <RetirementNotice thread={thread.data} messages={messages.data} />}
        {thread.data?.queued && <MessageQueue open={open} runId={runId} />}
        {correcting && <CorrectionDialog message={correcting} onClose={stopCorrecting} />}
        <output className="sr-only">
          {runId === null
            ? ''
            : thread.data?.waitsForApproval
              ? 'The answer is waiting for your approval'
              : 'An answer is being written'}
        </output>
      </ThreadActionsContext>
    </>
  );
}

type MessagesProps = Pick<OpenThreadProps, 'open' | 'state'> & {
  targetId: number | null;
  thread: UseQueryResult<Thread>;
  /** Shown while there is no message, instead of the greeting. */
  empty?: ReactNode;
};

export function Messages({ open: { threadId, list, box }, state, targetId, thread, empty }: MessagesProps) {
  const messages = useQuery(messagesQuery(threadId));
  const chatTarget = chatTargetOf(useChatTargets(), thread.data ?? { assistantId: null, model: null });
  const error = thread.error ?? messages.error;
  if (thread.data && messages.data?.items.length === 0 && !state.pending)
    return (
      empty ?? <Greeting place={`chat:${threadId}`} chatTarget={chatTarget} modelCount={state.selectedModels.length} />
    );
  if (messages.data)
    return (
      <AttachmentPreview box={box}>
        <MessageList
          ref={list}
          threadId={threadId}
          window={messages.data}
          pending={state.pending}
          editingId={state.editingId}
          targetId={targetId}
        />
      </AttachmentPreview>
    );
  if (!error || messages.isFetching) return <LoadingMessages />;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto p-6">
      <ErrorState
        title="Failed to load the conversation"
        message={errorText(error)}
        onRetry={() => {
          void thread.refetch();
          void messages.refetch();
        }}
      />
    </div>
  );
}
