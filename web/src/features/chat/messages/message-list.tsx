import type { Message } from '@roster/contracts/chat';
import { useQueryClient } from '@tanstack/react-query';
import { ArrowDown } from 'lucide-react';
import {
  memo,
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { ModelName } from '#web/components/model-name.tsx';
import { undecided } from '#web/features/chat/shared/answers.ts';
import { changesOfModel, type PendingMessage, withPending } from '#web/features/chat/shared/message-changes.ts';
import type { MessageWindow } from '#web/features/chat/shared/message-window.ts';
import { loadEnd, loadNewer, loadOlder } from '#web/features/chat/shared/thread-cache.ts';
import type { MessageListHandle } from '#web/features/chat/shared/thread-state.ts';
import { useFurtherPages } from '#web/features/chat/shared/use-further-pages.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { Spinner } from '#web/ui/states/spinner.tsx';
import { Answer } from './answer.tsx';
import { PendingQuestion } from './pending-question.tsx';
import { Question } from './question.tsx';
import { type AutoScroll, useAutoScroll } from './use-auto-scroll.ts';

type MessageListProps = {
  ref: Ref<MessageListHandle>;
  threadId: number;
  window: MessageWindow;
  /** The question being sent. */
  pending: PendingMessage | null;
  editingId: number | null;
  /** The search hit: scrolled to on opening, and highlighted. */
  targetId: number | null;
};

/** Pixels before the edge at which the next page is requested. */
const ahead = 2500;
const topRoom = 40;

type ScrolledParts = {
  scroller: RefObject<HTMLElement | null>;
  handle: RefObject<VirtualizerHandle | null>;
  autoScroll: AutoScroll;
};

/** Scrolls on opening, after sending and on request. */
function useScrolling(props: MessageListProps, rows: Rows, { scroller, handle, autoScroll }: ScrolledParts) {
  const { ref, targetId, pending } = props;
  const { goToEnd, stay } = autoScroll;
  const show = (messageId: number) => {
    const index = indexIn(rows, messageId);
    if (index < 0) return;
    stay();
    handle.current?.scrollToIndex(index, { align: 'center' });
  };
  useImperativeHandle(ref, () => ({ goToEnd, show, stay, area: () => scroller.current }));

  // On opening: to the search hit, otherwise to the end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only on opening, and for another search result
  useLayoutEffect(() => {
    // After a reload the address still names the hit, but only the end is loaded.
    const isLoaded = targetId !== null && indexIn(rows, targetId) >= 0;
    if (isLoaded) show(targetId);
    else goToEnd();
  }, [targetId]);

  // Scrolls to a new question in the same frame.
  const pendingId = pending?.id;
  useLayoutEffect(() => {
    if (pendingId !== undefined) goToEnd();
  }, [pendingId, goToEnd]);
}

/** Requests older and newer pages as the view approaches them. */
function usePagesAround({ threadId, window }: MessageListProps, scroller: RefObject<HTMLElement | null>): () => void {
  const client = useQueryClient();
  const { olderCursor, newerCursor } = window;
  const loadMore = useFurtherPages(() => {
    const area = scroller.current;
    if (!area) return undefined;
    const needsOlder = olderCursor !== null && area.scrollTop < ahead;
    const needsNewer = newerCursor !== null && area.scrollHeight - area.scrollTop - area.clientHeight < ahead;
    if (!needsOlder && !needsNewer) return undefined;
    return needsOlder ? loadOlder(client, threadId) : loadNewer(client, threadId);
  });
  // After each page, check whether the next one is needed.
  useEffect(loadMore);
  return loadMore;
}

type Rows = ReturnType<typeof withPending>;
const indexIn = (rows: Rows, id: number | null | undefined) => rows.findIndex((row) => row.id === id);

/** A virtualized list of messages that loads further pages as needed. */
export function MessageList(props: MessageListProps) {
  const { threadId, window, pending, editingId, targetId } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const autoScroll = useAutoScroll(scroller, content);
  const rows = useMemo(() => withPending(window, pending), [window, pending]);
  const open = undecided(window);
  const newModels = useMemo(() => changesOfModel(window.items), [window.items]);
  const loadMore = usePagesAround(props, scroller);
  useScrolling(props, rows, { scroller, handle, autoScroll });
  const kept = [indexIn(rows, editingId), indexIn(rows, pending?.id)].filter((index) => index >= 0);
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
            {window.olderCursor !== null && <Spinner label="Loading earlier messages" />}
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
      <JumpToLatest threadId={threadId} window={window} autoScroll={autoScroll} />
    </div>
  );
}

type JumpToLatestProps = Pick<MessageListProps, 'threadId' | 'window'> & { autoScroll: AutoScroll };

function JumpToLatest({ threadId, window: { newerCursor }, autoScroll: { isAway, goToEnd } }: JumpToLatestProps) {
  const client = useQueryClient();
  if (!isAway && newerCursor === null) return null;
  const jump = async () => {
    // If the end cannot be loaded, scroll to the last loaded message.
    if (newerCursor !== null) await loadEnd(client, threadId).catch(() => undefined);
    goToEnd();
  };
  return (
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
  );
}

const SideBySide = lazyPart(async () => (await import('./side-by-side.tsx')).SideBySide, { failed: Answer });

const SummaryCard = lazyPart(async () => (await import('#web/features/chat/summaries/summary-card.tsx')).SummaryCard);

type MessageRowProps = {
  row: Message | PendingMessage;
  editing: boolean;
  marked: boolean;
  /** Shown with its parallel answers. */
  together: boolean;
  /** Set if another model answered before. */
  newModel: string | undefined;
};

const MessageRow = memo(function MessageRow({ row, editing, marked, together, newModel }: MessageRowProps) {
  return (
    <div data-message={row.id} className="px-4 py-2 max-md:px-3">
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
          <SideBySide message={row} />
        ) : (
          <>
            {newModel && <NewModel model={newModel} />}
            <Answer message={row} />
          </>
        )}
        {'role' in row && row.summary && <SummaryCard message={row} summary={row.summary} />}
      </div>
    </div>
  );
});

function NewModel({ model }: { model: string }) {
  return (
    <p className="mb-3 flex items-center gap-3 text-muted-foreground text-xs before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
      <span className="wrap-anywhere max-w-[70%]">
        <bdi className="font-mono">
          <ModelName model={model} />
        </bdi>{' '}
        answers from here
      </span>
    </p>
  );
}
