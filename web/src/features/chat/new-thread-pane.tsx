import type { Thread } from '@roster/contracts/chat';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useUser } from '#web/data/current-user.ts';
import { endAsking, isAskedInNewThread, newThreadPlace } from '#web/data/first-question.ts';
import { userConfigQuery } from '#web/data/user-config.ts';
import { isOverBudget } from '#web/lib/over-budget.ts';
import { afterUsable } from '#web/lib/usable.ts';
import { AnswererMenu } from './answerer-menu.tsx';
import type { StoredFile } from './attachments.ts';
import { rememberChoice, rememberedModel } from './choice-memory.ts';
import { Composer } from './composer.tsx';
import { composerAt } from './composer-state.ts';
import { focusUnlessTouch } from './focus-unless-touch.ts';
import { type PendingMessage, pendingMessage } from './message-window.ts';
import { UnfinishedStart, useStartThread } from './mutations.ts';
import { PaneHeader } from './pane-header.tsx';
import { PendingQuestion } from './pending-question.tsx';
import { SeveralNotice } from './several-notice.tsx';
import { type Answerer, answererOf, type Choice, useAnswerers } from './use-assistants.ts';

const loadSendFailure = () => import('./send-failure.tsx');
const SendFailure = lazy(async () => ({ default: (await loadSendFailure()).SendFailure }));
// Before it is needed: a failure may be that nothing can be loaded any more.
afterUsable(loadSendFailure).catch(() => undefined);
const MissingKeyNotice = lazy(async () => ({
  default: (await afterUsable(() => import('./missing-key-notice.tsx'))).MissingKeyNotice,
}));
const BudgetNotice = lazy(async () => ({
  default: (await afterUsable(() => import('./budget-notice.tsx'))).BudgetNotice,
}));

type NewThreadPaneProps = {
  /** Left out: what the last conversation began with, or the default assistant. */
  choice: Choice | undefined;
  onBack: () => void;
  onStarted: (threadId: number) => void;
  onChoose: (choice: Choice) => void;
};

const place = newThreadPlace;

/** A conversation that begins with its first message. */
export function NewThreadPane({ choice, onBack, onStarted, onChoose }: NewThreadPaneProps) {
  const known = useAnswerers();
  const config = useQuery(userConfigQuery);
  const start = useStartThread();
  const router = useRouter();
  /** Made by a first try whose message did not get through. */
  const [thread, setThread] = useState<Thread | null>(null);
  /** Stays until the conversation itself is shown. */
  const [pending, setPending] = useState<PendingMessage | null>(null);
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isAskedInNewThread()) composerAt(place).set({ wanted: true });
    endAsking();
  }, []);
  const [several, setSeveral] = useState<readonly string[]>([]);
  const userId = useUser().id;
  const defaultId = known?.defaultAnswerer.assistantId ?? null;
  const remembered = known && rememberedModel(userId, defaultId);
  const current =
    choice ?? (remembered ? { assistantId: null, model: remembered } : { assistantId: defaultId, model: null });
  const answerer = answererOf(known, current);

  // biome-ignore lint/correctness/useExhaustiveDependencies: choosing an assistant leads on to the message
  useEffect(() => focusUnlessTouch(box.current), [choice?.assistantId, choice?.model]);
  // New Chat leads on to the message also where a new conversation is open already.
  useEffect(() => router.subscribe('onResolved', () => focusUnlessTouch(box.current)), [router]);

  const send = async (text: string, overBudget: boolean, files: readonly StoredFile[]) => {
    setPending(pendingMessage(undefined, { text, files, parentId: null }));
    try {
      const made = await start.mutateAsync({
        text,
        files,
        place,
        overBudget,
        choice: current,
        models: several,
        thread: thread?.assistantId === current.assistantId && thread.model === current.model ? thread : null,
      });
      rememberChoice(userId, current, defaultId);
      if (isHere.current) {
        composerAt(place).moveTo(`chat:${made.id}`);
        onStarted(made.id);
      }
      return true;
    } catch (error) {
      setThread(error instanceof UnfinishedStart ? error.thread : null);
      setPending(null);
      return false;
    }
  };
  const lacksKey = config.data?.hasApiKey === false && !start.error;
  return (
    <section aria-label="New conversation" className="relative flex h-full min-h-0 flex-col">
      <title>Chat · Roster</title>
      <PaneHeader
        onBack={onBack}
        title={<h2 className="min-w-0 flex-1 truncate font-medium">New conversation</h2>}
        answerer={
          <AnswererMenu
            current={current}
            onChoose={(next) => {
              setSeveral([]);
              onChoose(next);
            }}
            several={{ models: several, onChoose: setSeveral }}
          />
        }
      />
      {pending ? <FirstQuestion pending={pending} /> : <Greeting answerer={answerer} several={several.length} />}
      <Composer
        ref={box}
        place={place}
        placeholder={answerer && answerer.assistantId !== null ? `Message ${answerer.name}` : 'Write a message'}
        onSend={send}
        sending={start.isPending}
        // Who answers by default is known in a moment; Enter pressed before that must not leave the assistant out.
        waiting={!known && choice === undefined}
        notice={(sendOverBudget) => (
          <Suspense>
            <SeveralNotice models={several} onClear={() => setSeveral([])} />
            {lacksKey ? (
              <MissingKeyNotice />
            ) : (
              <>
                {start.error && <SendFailure error={start.error} onSendOverBudget={sendOverBudget} />}
                {!isOverBudget(start.error) && (
                  <BudgetNotice assistantId={answerer?.assistantId ?? null} isAnswering={false} />
                )}
              </>
            )}
          </Suspense>
        )}
      />
    </section>
  );
}

/** Where the list of messages will show it. */
function FirstQuestion({ pending }: { pending: PendingMessage }) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 pt-12 max-md:px-3">
      <div className="mx-auto max-w-[760px]">
        <PendingQuestion pending={pending} />
      </div>
    </div>
  );
}

function Greeting({ answerer, several }: { answerer: Answerer | undefined; several: number }) {
  const firstName = useUser().name?.split(' ')[0];
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center justify-center overflow-y-auto px-6 py-8 text-center">
      <p className="font-semibold text-xl tracking-[-0.012em]">
        {firstName ? `Hello ${firstName}, what` : 'What'} would you like to talk about?
      </p>
      {answerer && (
        <p className="mt-2 max-w-lg text-pretty text-muted-foreground [overflow-wrap:anywhere]">
          {several > 0 ? (
            <>
              {several} models answer side by side
              {answerer.assistantId !== null && (
                <>
                  , each with the instructions of <bdi className="text-foreground">{answerer.name}</bdi>
                </>
              )}
              .
            </>
          ) : answerer.assistantId === null ? (
            answerer.model === null ? (
              'The default model answers, without an assistant’s instructions.'
            ) : (
              <>
                The model <span className="font-mono text-foreground text-sm">{answerer.model}</span> answers, without
                an assistant’s instructions.
              </>
            )
          ) : (
            <>
              <bdi className="text-foreground">{answerer.name}</bdi> answers with{' '}
              <span className="font-mono text-foreground text-sm">{answerer.model}</span>.
            </>
          )}
        </p>
      )}
      {several === 0 && answerer?.description && (
        <p dir="auto" className="mt-1 line-clamp-3 max-w-lg text-muted-foreground">
          {answerer.description}
        </p>
      )}
    </div>
  );
}
