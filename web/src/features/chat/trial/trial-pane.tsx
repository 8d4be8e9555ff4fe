import type { Message, Thread } from '@roster/contracts/chat';
import { type TrialSettings, trials } from '@roster/contracts/trials';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { Composer } from '#web/features/chat/composer/composer.tsx';
import { ComposerNotices } from '#web/features/chat/composer/composer-notices.tsx';
import { useThreadUpdates } from '#web/features/chat/runs/use-thread-updates.ts';
import { composerAt } from '#web/features/chat/shared/composer-state.ts';
import { activeRun } from '#web/features/chat/shared/message-window.ts';
import { ThreadActionsContext } from '#web/features/chat/shared/thread-actions.ts';
import { showThread } from '#web/features/chat/shared/thread-cache.ts';
import { messagesQuery } from '#web/features/chat/shared/thread-queries.ts';
import {
  type MessageListHandle,
  noThreadState,
  type OpenThread,
  withChanges,
} from '#web/features/chat/shared/thread-state.ts';
import { usePresence } from '#web/features/chat/temporary/use-presence.ts';
import { Starters } from '#web/features/chat/threads/greeting.tsx';
import { Messages, useThreadActions } from '#web/features/chat/threads/open-thread.tsx';
import { stopAnswers, submitMessage } from '#web/features/chat/threads/open-thread-actions.ts';
import { call, errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCost } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';

type TrialPaneProps = {
  /** null: of an assistant that is not saved yet. */
  assistantId: number | null;
  /** The settings in the form; null if they cannot be used, which the form shows. */
  settings: () => Promise<TrialSettings | null>;
  starters: readonly string[];
  /** Button that keeps the last question, once there is one. */
  keepQuestion: (text: string) => ReactNode;
};

/** Begins a trial, and tells the server what the form holds before each question. */
function useTrial({ assistantId, settings }: TrialPaneProps) {
  const client = useQueryClient();
  const sent = useRef<string>(undefined);
  const [thread, setThread] = useState<Thread | null>(null);
  const begin = useMutation({
    networkMode: 'always',
    mutationFn: (current: TrialSettings) => call(trials.begin, { body: { assistantId, settings: current } }),
    onSuccess(created, current) {
      sent.current = JSON.stringify(current);
      showThread(client, created);
      setThread(created);
    },
  });
  const start = async () => {
    const current = await settings();
    if (current) begin.mutate(current);
  };
  const startOver = () => {
    if (thread) composerAt(`chat:${thread.id}`).set({ text: '', attachments: [] });
    setThread(null);
    void start();
  };
  /** False if the settings cannot be used. */
  const prepare = async (threadId: number): Promise<boolean> => {
    const current = await settings();
    if (!current) return false;
    const text = JSON.stringify(current);
    if (text === sent.current) return true;
    try {
      await call(trials.change, { params: { id: threadId }, body: { settings: current } });
      sent.current = text;
      return true;
    } catch (error) {
      showFailure('The trial could not use these settings')(error);
      return false;
    }
  };
  return { thread, begin, start: () => void start(), startOver, prepare };
}

/** A conversation with the settings in a form, which need not be saved. */
export function TrialPane(props: TrialPaneProps) {
  const { thread, begin, start, startOver, prepare } = useTrial(props);
  return (
    <section aria-label="Trial" className="flex h-full min-h-0 flex-col rounded-lg border border-border bg-card">
      {thread ? (
        <TrialThread key={thread.id} {...props} threadId={thread.id} prepare={prepare} onReset={startOver} />
      ) : (
        <div className="flex flex-1 flex-col items-center justify-center gap-3 p-6 text-center">
          <h2 className="font-semibold text-base">Try it before you save</h2>
          <p className="max-w-sm text-muted-foreground">
            {props.assistantId === null
              ? 'Uses the form’s current values, connected tools included. Files are searched once the assistant is created. Each answer is billed.'
              : 'Uses the form’s current values, the saved files and the connected tools. Each answer is billed.'}
          </p>
          {begin.isError && (
            <Notice tone="destructive" className="text-start">
              {errorText(begin.error, 'The trial could not be started.')}
            </Notice>
          )}
          <Button variant="primary" busy={begin.isPending} onClick={start}>
            Start a trial
          </Button>
        </div>
      )}
    </section>
  );
}

type TrialThreadProps = TrialPaneProps & {
  threadId: number;
  prepare: (threadId: number) => Promise<boolean>;
  onReset: () => void;
};

function TrialThread(props: TrialThreadProps) {
  const { threadId, prepare, starters, assistantId, keepQuestion, onReset } = props;
  const client = useQueryClient();
  const list = useRef<MessageListHandle>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const [state, change] = useReducer(withChanges, noThreadState);
  const open = useMemo<OpenThread>(() => ({ client, threadId, list, box, change }), [client, threadId]);
  usePresence(threadId, useRef(false));
  const thread = useThreadUpdates(threadId);
  const messages = useQuery(messagesQuery(threadId));
  const run = useQuery({ ...messagesQuery(threadId), select: activeRun });
  const runId = run.data?.id ?? thread.data?.runId ?? null;
  const actions = useThreadActions(open, thread.data, runId);
  useEffect(() => box.current?.focus(), []);
  const place = `chat:${threadId}`;
  return (
    <>
      <TrialHeader items={messages.data?.items ?? []} keepQuestion={keepQuestion} onReset={onReset} />
      <ThreadActionsContext value={actions}>
        <Messages
          {...{ open, state, thread }}
          targetId={null}
          empty={<EmptyTrial place={place} starters={starters} />}
        />
      </ThreadActionsContext>
      <Composer
        ref={box}
        place={place}
        placeholder="Ask what people will ask"
        onSend={async (message) =>
          // A trial puts nothing in line: the settings may change before its turn.
          runId === null && (await prepare(threadId)) && submitMessage(open, message, [], null)
        }
        sending={state.pending !== null}
        waiting={thread.isPending}
        temporary
        onStop={runId === null ? undefined : () => stopAnswers(open, runId)}
        stopping={runId !== null && state.stoppingRun === runId}
        notice={(sendOverBudget) => (
          <ComposerNotices
            selectedModels={[]}
            onAskOne={() => undefined}
            failure={state.failure?.error}
            onSendOverBudget={state.failure?.sendAnyway ?? sendOverBudget}
            assistantId={assistantId}
            isAnswering={runId !== null}
          />
        )}
      />
    </>
  );
}

type TrialHeaderProps = Pick<TrialThreadProps, 'keepQuestion' | 'onReset'> & { items: readonly Message[] };

function TrialHeader({ items, keepQuestion, onReset }: TrialHeaderProps) {
  const question = items.findLast(({ role }) => role === 'user')?.text;
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-border border-b px-4 py-2">
      <h2 className="me-auto font-semibold text-base">Trial</h2>
      <Cost items={items} />
      {question !== undefined && keepQuestion(question)}
      <Button size="sm" variant="ghost" icon={RotateCcw} onClick={onReset}>
        Start over
      </Button>
    </header>
  );
}

/** The cost of the answers so far, as far as it is known. */
function Cost({ items }: { items: readonly Message[] }) {
  const costs = items.flatMap(({ usage }) => (usage ? [usage.costUsd] : []));
  if (costs.length === 0) return null;
  const isKnown = costs.every((cost) => cost !== null);
  const sum = costs.reduce<number>((total, cost) => total + (cost ?? 0), 0);
  return (
    <span className="text-muted-foreground text-sm tabular-nums">
      {isKnown ? `Cost so far ${formatCost(sum)}` : 'No price known'}
    </span>
  );
}

function EmptyTrial({ place, starters }: { place: string; starters: readonly string[] }) {
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center justify-center overflow-y-auto p-6 text-center">
      <p className="max-w-sm text-muted-foreground">
        Change the form and ask again: each question uses the form’s current values.
      </p>
      <Starters place={place} starters={starters} />
    </div>
  );
}
