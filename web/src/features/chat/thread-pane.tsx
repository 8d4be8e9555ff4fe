import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useRef, useState } from 'react';
import { loadedPart } from '#web/lib/loaded-part.tsx';
import { afterUsable } from '#web/lib/usable.ts';
import { Composer } from './composer.tsx';
import { focusUnlessTouch } from './focus-unless-touch.ts';
import { LoadingMessages } from './loading-messages.tsx';
import type { OpenComposer } from './open-thread.tsx';
import { PaneHeader } from './pane-header.tsx';
import { messagesQuery, threadQuery } from './queries.ts';
import { answererOf, useAnswerers } from './use-assistants.ts';

const OpenThread = loadedPart(() => afterUsable(async () => (await import('./open-thread.tsx')).OpenThread));

/** What a conversation is drawn with. One can write in it before. */
export const loadOpenThread = OpenThread.load;
loadOpenThread().catch(() => undefined);

type ThreadPaneProps = {
  threadId: number;
  targetId: number | null;
  onBack: () => void;
  onRemoved: () => void;
};

const notYet = () => Promise.resolve(null);

/** One conversation: its messages, and the composer below, in which one can write before the rest is there. */
export function ThreadPane({ threadId, targetId, onBack, onRemoved }: ThreadPaneProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  /** Undefined until the conversation is drawn: what is sent before that waits. */
  const [composer, setComposer] = useState<OpenComposer | null | undefined>(undefined);
  const { data: thread } = useQuery(threadQuery(threadId));
  usePrefetchQuery(messagesQuery(threadId));
  const answerer = answererOf(useAnswerers(), {
    assistantId: thread?.assistantId ?? null,
    model: thread?.model ?? null,
  });
  useEffect(() => focusUnlessTouch(box.current), []);

  const open = (
    <Suspense fallback={<Opening title={thread?.title} onBack={onBack} />}>
      <OpenThread
        threadId={threadId}
        targetId={targetId}
        box={box}
        onBack={onBack}
        onRemoved={onRemoved}
        onComposer={setComposer}
      />
    </Suspense>
  );
  return (
    <section aria-label={thread?.title ?? 'Conversation'} className="relative flex h-full min-h-0 flex-col">
      {open}
      {composer !== null && (
        <Composer
          ref={box}
          place={`chat:${threadId}`}
          placeholder={answerer && answerer.assistantId !== null ? `Message ${answerer.name}` : 'Write a message'}
          onSend={notYet}
          sending={false}
          waiting={!composer}
          {...composer}
        />
      )}
    </section>
  );
}

/** Where the conversation will stand. */
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
