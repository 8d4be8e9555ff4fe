import type { Message } from '@roster/contracts/chat';
import { useQueryClient } from '@tanstack/react-query';
import { ArrowDown } from 'lucide-react';
import { memo, type Ref, Suspense, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { loadEnd, loadNewer, loadOlder } from '#web/features/chat/threads/thread-cache.ts';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { onDemand } from '#web/ui/markdown/on-demand.tsx';
import { Spinner } from '#web/ui/spinner.tsx';
import { Answer } from './answer.tsx';
import { undecided } from './answers.ts';
import { changesOfModel, type PendingMessage, withPending } from './message-changes.ts';
import type { MessageWindow } from './message-window.ts';
import { PendingQuestion } from './pending-question.tsx';
import { Question } from './question.tsx';
import { useAutoScroll } from './use-auto-scroll.ts';

export type MessageListHandle = { goToEnd: () => void; show: (messageId: number) => void };

type MessageListProps = {
  ref: Ref<MessageListHandle>;
  threadId: number;
  window: MessageWindow;
  /** A question on its way. */
  pending: PendingMessage | null;
  editingId: number | null;
  /** The message of a search result: shown on opening, and marked. */
  targetId: number | null;
};

/** Further pages are asked for this many pixels before they are needed. */
const ahead = 2500;
const topRoom = 40;

/** The messages of a thread: only what is near the view is on the page, further pages come as they are needed. */
export function MessageList({ ref, threadId, window, pending, editingId, targetId }: MessageListProps) {
  const client = useQueryClient();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const loading = useRef(false);
  const { isAway, goToEnd, stay } = useAutoScroll(scroller, content);
  const { olderCursor, newerCursor } = window;
  const rows = useMemo(() => withPending(window, pending), [window, pending]);
  const open = undecided(window);
  const newModels = useMemo(() => changesOfModel(window.items), [window.items]);
  const indexOf = (id: number | null) => rows.findIndex((row) => row.id === id);

  const loadMore = () => {
    const area = scroller.current;
    if (!area || loading.current) return;
    const needsOlder = olderCursor !== null && area.scrollTop < ahead;
    const needsNewer = newerCursor !== null && area.scrollHeight - area.scrollTop - area.clientHeight < ahead;
    if (!needsOlder && !needsNewer) return;
    loading.current = true;
    const load = needsOlder ? loadOlder : loadNewer;
    // A page that could not be loaded is asked for again with the next movement.
    load(client, threadId)
      .catch(() => undefined)
      .finally(() => {
        loading.current = false;
      });
  };
  // After each page, whether the next one is needed already.
  useEffect(loadMore);

  const show = (messageId: number) => {
    const index = indexOf(messageId);
    if (index < 0) return;
    stay();
    handle.current?.scrollToIndex(index, { align: 'center' });
  };
  useImperativeHandle(ref, () => ({ goToEnd, show }));

  // Opening: at the message that was searched for, else at the end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only on opening, and for another search result
  useLayoutEffect(() => {
    if (targetId !== null) show(targetId);
    else goToEnd();
  }, [targetId]);

  // What was just sent is what its sender wants to see, in the same frame.
  const pendingId = pending?.id;
  useLayoutEffect(() => {
    if (pendingId !== undefined) goToEnd();
  }, [pendingId, goToEnd]);

  const jump = async () => {
    if (newerCursor !== null) await loadEnd(client, threadId).catch(() => undefined);
    goToEnd();
  };
  const kept = [indexOf(editingId), indexOf(pendingId ?? null)].filter((index) => index >= 0);
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard
        tabIndex={0}
        aria-label="Messages"
        className="h-full overflow-y-auto overflow-x-hidden [overflow-anchor:none] focus-visible:-outline-offset-2"
      >
        <div ref={content}>
          <div style={{ height: topRoom }} className="flex items-center justify-center text-muted-foreground">
            {olderCursor !== null && <Spinner label="Loading earlier messages" />}
          </div>
          <Virtualizer
            ref={handle}
            scrollRef={scroller}
            startMargin={topRoom}
            data={rows}
            shift={window.grew === 'front'}
            bufferSize={800}
            keepMounted={kept}
            onScroll={loadMore}
          >
            {(row) => (
              <MessageRow
                key={row.id}
                row={row}
                editing={row.id === editingId}
                marked={row.id === targetId}
                together={row.id === open?.id}
                newModel={newModels.get(row.id)}
              />
            )}
          </Virtualizer>
          <div className="h-6" />
        </div>
      </section>
      {(isAway || newerCursor !== null) && (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <Button
            size="sm"
            icon={ArrowDown}
            onClick={() => void jump()}
            className="pointer-events-auto animate-rise bg-popover shadow-float max-md:h-10"
          >
            Jump to latest
          </Button>
        </div>
      )}
    </div>
  );
}

const loadSideBySide = async () => (await import('./side-by-side.tsx')).SideBySide;
const SideBySide = onDemand(loadSideBySide, Answer);

type MessageRowProps = {
  row: Message | PendingMessage;
  editing: boolean;
  marked: boolean;
  /** Shown with the answers that were asked for together with it. */
  together: boolean;
  /** The model that answers from here on, where another did before. */
  newModel: string | undefined;
};

const MessageRow = memo(function MessageRow({ row, editing, marked, together, newModel }: MessageRowProps) {
  return (
    <div className="px-4 py-2 max-md:px-3">
      <div
        className={classNames(
          'mx-auto',
          together ? 'max-w-[1400px]' : 'max-w-[760px]',
          marked && 'rounded-md outline-2 outline-warning/70 outline-offset-8',
        )}
      >
        {!('role' in row) ? (
          <PendingQuestion pending={row} />
        ) : row.role === 'user' ? (
          <Question message={row} editing={editing} />
        ) : together ? (
          <Suspense fallback={<Answer message={row} />}>
            <SideBySide message={row} />
          </Suspense>
        ) : (
          <>
            {newModel && <NewModel model={newModel} />}
            <Answer message={row} />
          </>
        )}
      </div>
    </div>
  );
});

function NewModel({ model }: { model: string }) {
  return (
    <p className="mb-3 flex items-center gap-3 text-muted-foreground text-xs before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
      <span className="wrap-anywhere max-w-[70%]">
        <bdi className="font-mono">{model}</bdi> answers from here
      </span>
    </p>
  );
}
