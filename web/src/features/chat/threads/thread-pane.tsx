import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useReducer, useRef } from 'react';
import { Composer } from '#web/features/chat/composer/composer.tsx';
import { MessageList } from '#web/features/chat/messages/load-message-list.ts';
import { LoadingMessages } from '#web/features/chat/messages/loading-messages.tsx';
import { focusUnlessTouch } from '#web/features/chat/shared/focus-unless-touch.ts';
import { activeRun } from '#web/features/chat/shared/message-window.ts';
import { messagesQuery, threadQuery } from '#web/features/chat/shared/thread-queries.ts';
import {
  type FoundMessage,
  type MessageListHandle,
  noThreadState,
  type OpenThread,
  withChanges,
} from '#web/features/chat/shared/thread-state.ts';
import { chatTargetOf, placeholderFor, useChatTargets } from '#web/features/chat/shared/use-assistants.ts';
import { ApiError } from '#web/lib/api-client.ts';
import { whenAppReady } from '#web/lib/app-ready.ts';
import { lazyModule, lazyPart } from '#web/lib/lazy.ts';
import { PaneHeader } from './pane-header.tsx';

const openThread = lazyModule(() => whenAppReady(() => import('./open-thread.tsx')));
/** Preloads the messages. The composer works before that. */
export const loadOpenThread = openThread.load;
for (const later of [openThread, MessageList]) later.preload();

type ThreadPaneProps = {
  threadId: number;
  target: FoundMessage | null;
  onBack: () => void;
  /** The text of a deleted conversation was sent as a new one. */
  onStarted: (threadId: number) => void;
  onRemoved: () => unknown;
};

/** Shown if the conversation was deleted while something was being written. */
const OrphanedDraft = lazyPart(async () => (await import('./orphaned-draft.tsx')).OrphanedDraft);

const isGone = (error: unknown) => error instanceof ApiError && error.status === 404;

/**
 * A conversation with its composer, which stays as it is while the rest loads.
 *
 * Long: the composer’s many properties, each one line.
 */
export function ThreadPane({ threadId, target, onBack, onStarted, onRemoved }: ThreadPaneProps) {
  const client = useQueryClient();
  const list = useRef<MessageListHandle>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const [state, change] = useReducer(withChanges, noThreadState);
  const open = useMemo<OpenThread>(() => ({ client, threadId, list, box, change }), [client, threadId]);
  const thread = useQuery(threadQuery(threadId));
  const run = useQuery({ ...messagesQuery(threadId), select: activeRun });
  const parts = openThread.use();
  useEffect(() => focusUnlessTouch(box.current), []);

  const { assistantId = null, model = null } = thread.data ?? {};
  const chatTarget = chatTargetOf(useChatTargets(), { assistantId, model });
  const runId = run.data?.id ?? thread.data?.runId ?? null;
  const stop = async (id: number) => (await loadOpenThread()).stopAnswers(open, id);
  const { selectedModels, failure } = state;
  return (
    <section aria-label={thread.data?.title ?? 'Conversation'} className="relative flex h-full min-h-0 flex-col">
      {parts ? (
        <parts.OpenThread {...{ open, state, runId, target, onBack, onRemoved }} />
      ) : (
        <Opening title={thread.data?.title} onBack={onBack} />
      )}
      {isGone(thread.error ?? run.error) ? (
        <OrphanedDraft
          place={`chat:${threadId}`}
          choice={{ assistantId, model }}
          isSending={state.pending !== null}
          onStarted={onStarted}
        />
      ) : (
        <Composer
          ref={box}
          place={`chat:${threadId}`}
          placeholder={placeholderFor(chatTarget)}
          onSend={async (message) => (await loadOpenThread()).submitMessage(open, message, selectedModels, runId)}
          sending={state.pending !== null}
          waiting={!parts || thread.isPending}
          temporary={thread.data?.temporary}
          onStop={runId === null ? undefined : () => void stop(runId)}
          stopping={runId !== null && state.stoppingRun === runId}
          tools={parts && thread.data && parts.toolsOf(client, thread.data)}
          compare={
            parts &&
            ((onChosen) => (
              <parts.CompareButton
                onChosen={onChosen}
                current={{ assistantId, model }}
                modelSelection={{ models: selectedModels, onChoose: (models) => change({ selectedModels: models }) }}
              />
            ))
          }
          onEditLast={() => runId === null && parts?.editLast(open)}
          notice={
            parts &&
            ((sendOverBudget) => (
              <parts.ComposerNotices
                selectedModels={selectedModels}
                onAskOne={() => change({ selectedModels: [] })}
                failure={failure?.error}
                onSendOverBudget={failure?.sendAnyway ?? sendOverBudget}
                assistantId={assistantId}
                projectId={thread.data?.projectId}
                isAnswering={runId !== null}
              />
            ))
          }
        />
      )}
    </section>
  );
}

/** Placeholder of the conversation. */
function Opening({ title, onBack }: { title: string | undefined; onBack: () => void }) {
  return (
    <>
      {title !== undefined && <title>{`${title} · Roster`}</title>}
      <PaneHeader
        onBack={onBack}
        title={
          <h2 dir="auto" className="min-w-0 flex-1 truncate font-medium" title={title}>
            {title}
          </h2>
        }
      />
      <LoadingMessages />
    </>
  );
}
