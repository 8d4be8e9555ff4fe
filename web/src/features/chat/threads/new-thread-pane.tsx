import type { Thread } from '@roster/contracts/chat';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useUser } from '#web/data/current-user.ts';
import { endAsking, isAskedInNewThread, newThreadPlace } from '#web/data/first-question.ts';
import { rememberChoice, rememberedModel } from '#web/features/chat/answerers/choice-memory.ts';
import { type Answerer, answererOf, type Choice, useAnswerers } from '#web/features/chat/answerers/use-assistants.ts';
import type { StoredFile } from '#web/features/chat/attachments/attachments.ts';
import { Composer } from '#web/features/chat/composer/composer.tsx';
import { composerAt } from '#web/features/chat/composer/composer-state.ts';
import { focusUnlessTouch } from '#web/features/chat/focus-unless-touch.ts';
import type { PendingMessage } from '#web/features/chat/messages/message-changes.ts';
import { loadedModule } from '#web/lib/loaded-module.ts';
import { afterUsable } from '#web/lib/usable.ts';
import { PaneHeader } from './pane-header.tsx';

const firstMessage = loadedModule(() => import('./first-message.tsx'));
// There soon: until then, what is sent waits.
afterUsable(firstMessage.load).catch(() => undefined);

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
  const client = useQueryClient();
  const parts = firstMessage.use();
  const [failure, setFailure] = useState<unknown>(null);
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
    const { pendingMessage, startThread, UnfinishedStart } = await firstMessage.load();
    setPending(pendingMessage(undefined, { text, files, parentId: null }));
    setFailure(null);
    try {
      const isSameStart = thread?.assistantId === current.assistantId && thread.model === current.model;
      const made = await startThread(client, {
        text,
        files,
        place,
        overBudget,
        choice: current,
        models: several,
        thread: isSameStart ? thread : null,
      });
      rememberChoice(userId, current, defaultId);
      if (isHere.current) {
        composerAt(place).moveTo(`chat:${made.id}`);
        onStarted(made.id);
      }
      return true;
    } catch (error) {
      setFailure(error);
      setThread(error instanceof UnfinishedStart ? error.thread : null);
      setPending(null);
      return false;
    }
  };
  return (
    <section aria-label="New conversation" className="relative flex h-full min-h-0 flex-col">
      <title>Chat · Roster</title>
      <PaneHeader
        onBack={onBack}
        title={<h2 className="min-w-0 flex-1 truncate font-medium">New conversation</h2>}
        answerer={
          parts && (
            <parts.AnswererMenu
              current={current}
              onChoose={(next) => {
                setSeveral([]);
                onChoose(next);
              }}
              several={{ models: several, onChoose: setSeveral }}
            />
          )
        }
      />
      {pending && parts ? (
        <parts.FirstQuestion pending={pending} />
      ) : (
        <Greeting answerer={answerer} several={several.length} />
      )}
      <Composer
        ref={box}
        place={place}
        placeholder={answerer && answerer.assistantId !== null ? `Message ${answerer.name}` : 'Write a message'}
        onSend={send}
        sending={pending !== null}
        // Who answers by default is known in a moment; Enter pressed before that must not leave the assistant out.
        waiting={!parts || (!known && choice === undefined)}
        notice={
          parts &&
          ((sendOverBudget) => (
            <parts.ComposerNotices
              several={several}
              onAskOne={() => setSeveral([])}
              failure={failure}
              onSendOverBudget={sendOverBudget}
              needsKey
              assistantId={answerer?.assistantId ?? null}
              isAnswering={false}
            />
          ))
        }
      />
    </section>
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
