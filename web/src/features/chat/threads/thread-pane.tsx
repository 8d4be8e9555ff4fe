import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useReducer, useRef } from 'react';
import {
  chatTargetFor,
  composerPlaceholder,
  useChatTargets,
} from '#web/features/chat/chat-targets/use-chat-targets.ts';
import { Composer } from '#web/features/chat/composer/composer.tsx';
import { focusUnlessTouch } from '#web/features/chat/focus-unless-touch.ts';
import { loadMessageList } from '#web/features/chat/messages/load-message-list.ts';
import { LoadingMessages } from '#web/features/chat/messages/loading-messages.tsx';
import type { MessageListHandle } from '#web/features/chat/messages/message-list.tsx';
import { activeRun } from '#web/features/chat/messages/message-window.ts';
import { ApiError } from '#web/lib/api-client.ts';
import { loadedModule } from '#web/lib/loaded-module.ts';
import { preloadOnceUsable } from '#web/lib/preload.ts';
import { PaneHeader } from './pane-header.tsx';
import { messagesQuery, threadQuery } from './thread-queries.ts';
import { type FoundMessage, noThreadState, type OpenThread, withChanges } from './thread-state.ts';

const openThread = loadedModule(() => import('./open-thread.tsx'));
/** What a conversation is drawn with. One can write in it before. */
export const loadOpenThread = openThread.load;
for (const load of [loadOpenThread, loadMessageList]) preloadOnceUsable(load);

type ThreadPaneProps = {
  threadId: number;
  target: FoundMessage | null;
  onBack: () => void;
  /** The text of a deleted conversation was sent as a new one. */
  onStarted: (threadId: number) => void;
  onRemoved: () => unknown;
};

/** What was written in a conversation that was deleted meanwhile. */
const OrphanedDraft = lazy(async () => ({ default: (await import('./orphaned-draft.tsx')).OrphanedDraft }));

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
  const answerer = chatTargetFor(useChatTargets(), { assistantId, model });
  const runId = run.data?.id ?? thread.data?.runId ?? null;
  const stop = async (id: number) => (await loadOpenThread()).stopAnswers(open, id);
  const { several, failure } = state;
  return (
    <section aria-label={thread.data?.title ?? 'Conversation'} className="relative flex h-full min-h-0 flex-col">
      {parts ? (
        <parts.OpenThread {...{ open, state, runId, target, onBack, onRemoved }} />
      ) : (
        <Opening title={thread.data?.title} onBack={onBack} />
      )}
      {isGone(thread.error ?? run.error) ? (
        <Suspense>
          <OrphanedDraft
            place={`chat:${threadId}`}
            choice={{ assistantId, model }}
            isSending={state.pending !== null}
            onStarted={onStarted}
          />
        </Suspense>
      ) : (
        <Composer
          ref={box}
          place={`chat:${threadId}`}
          placeholder={composerPlaceholder(answerer)}
          onSend={async (text, overBudget, files) =>
            (await loadOpenThread()).sendQuestion(open, { text, files, models: several, overBudget })
          }
          sending={state.pending !== null}
          waiting={!parts || thread.isPending}
          onStop={runId === null ? undefined : () => void stop(runId)}
          stopping={runId !== null && state.stoppingRun === runId}
          tools={parts && thread.data && parts.toolsOf(client, thread.data)}
          onEditLast={() => runId === null && parts?.editLast(open)}
          notice={
            parts &&
            ((sendOverBudget) => (
              <parts.ComposerNotices
                several={several}
                onAskOne={() => change({ several: [] })}
                failure={failure?.error}
                onSendOverBudget={failure?.insist ?? sendOverBudget}
                assistantId={assistantId}
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
