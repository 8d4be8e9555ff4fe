import type { ThreadListItem } from '@roster/contracts/chat';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Archive, Bot, MessagesSquare, SearchX } from 'lucide-react';
import { type DragEvent, type KeyboardEvent, useCallback, useEffect, useMemo, useRef } from 'react';
import { VList, type VListHandle } from 'virtua';
import { dragThreads } from '#web/features/chat/projects/thread-drag.ts';
import { useSearchFilters, withFilters } from '#web/features/chat/search/search-filters.ts';
import {
  clearSelection,
  keepSelected,
  selectedIds,
  selectTo,
  toggleSelected,
  useSelection,
} from '#web/features/chat/selection/selection.ts';
import { LoadingThreads } from '#web/features/chat/shared/loading-lists.tsx';
import { isSearch, type ThreadFilter, type ThreadView, threadListQuery } from '#web/features/chat/shared/queries.ts';
import { forgetMiddle, loadAround, loadMoreThreads } from '#web/features/chat/shared/thread-cache.ts';
import { threadQuery } from '#web/features/chat/shared/thread-queries.ts';
import type { Match } from '#web/features/chat/shared/thread-state.ts';
import { useFurtherPages } from '#web/features/chat/shared/use-further-pages.ts';
import { errorText } from '#web/lib/api-client.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import type { Icon } from '#web/ui/icon.ts';
import { ThreadListRow } from './thread-list-row.tsx';

// Needed together with the list.
export { ProjectSection } from '#web/features/chat/projects/project-section.tsx';
export { ViewButtons } from './view-buttons.tsx';

const SelectionBar = lazyPart(
  async () => (await import('#web/features/chat/selection/selection-bar.tsx')).SelectionBar,
);

const FilterRow = lazyPart(async () => (await import('#web/features/chat/search/filter-row.tsx')).FilterRow);

type ThreadRow = { kind: 'heading'; label: string } | { kind: 'thread'; thread: ThreadListItem };

const monthName = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric' });

const dayOf = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/** Heading of a thread's group, by the user's local calendar. */
export function groupOf(thread: Pick<ThreadListItem, 'pinned' | 'updatedAt'>, now: Date): string {
  if (thread.pinned) return 'Pinned';
  const today = dayOf(now);
  const day = dayOf(new Date(thread.updatedAt));
  if (day >= today) return 'Today';
  // By calendar, because days are not always 24 hours long.
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1).getTime();
  if (day >= yesterday) return 'Yesterday';
  const daysAgo = (count: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - count).getTime();
  if (day >= daysAgo(7)) return 'Previous 7 Days';
  if (day >= daysAgo(30)) return 'Previous 30 Days';
  return monthName.format(new Date(thread.updatedAt));
}

/** Rows of the list: threads in order, with a heading before each group. */
export function groupThreads(threads: readonly ThreadListItem[], now: Date): ThreadRow[] {
  const rows: ThreadRow[] = [];
  let group = '';
  for (const thread of threads) {
    const next = groupOf(thread, now);
    if (next !== group) rows.push({ kind: 'heading', label: next });
    group = next;
    rows.push({ kind: 'thread', thread });
  }
  return rows;
}

const names = {
  recent: 'Recent conversations',
  programs: 'Conversations by programs',
  archived: 'Archived conversations',
};

const none: Record<ThreadView, [Icon, string, string]> = {
  recent: [MessagesSquare, 'No conversations yet', 'Start one with New Chat.'],
  programs: [
    Bot,
    'No conversations by programs',
    'Conversations that programs start with an access token appear here.',
  ],
  archived: [Archive, 'Nothing archived', 'Archived conversations appear here.'],
};

type ThreadListProps = {
  filter: ThreadFilter;
  openThreadId: number | undefined;
  onOpen: (threadId: number) => void;
  onOpenMatch: (match: Match) => void;
  onRemoved: (threadId: number) => unknown;
};

/** Moves focus up or down through the rows. */
function moveFocus(event: KeyboardEvent<HTMLElement>) {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || !(event.target instanceof HTMLElement) || event.target.matches('input')) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-thread-link]')];
  const next = rows[rows.indexOf(event.target) + step];
  if (!next || !rows.includes(event.target)) return;
  event.preventDefault();
  next.focus();
}

/** Opens a conversation at its end, or at a search hit. */
function useOpening({ onOpen, onOpenMatch }: Pick<ThreadListProps, 'onOpen' | 'onOpenMatch'>) {
  const client = useQueryClient();
  const open = useCallback(
    (id: number) => {
      forgetMiddle(client, id);
      onOpen(id);
    },
    [client, onOpen],
  );
  const openMatch = useCallback(
    async (match: Match) => {
      try {
        await loadAround(client, match.threadId, match.messageId);
      } catch (failure) {
        return showFailure('Failed to open the message')(failure);
      }
      onOpenMatch(match);
    },
    [client, onOpenMatch],
  );
  return { open, openMatch };
}

/** Selects a row, or all up to it; ends with the list, and forgets conversations that are no longer in it. */
function useSelecting(threads: readonly ThreadListItem[] | undefined) {
  const order = useRef<readonly number[]>([]);
  useEffect(() => {
    if (!threads) return;
    order.current = threads.map(({ id }) => id);
    keepSelected((id) => order.current.includes(id));
  }, [threads]);
  useEffect(() => clearSelection, []);
  const select = useCallback(
    (id: number, isRange: boolean) => (isRange ? selectTo(id, order.current) : toggleSelected(id)),
    [],
  );
  return { select, isSelecting: useSelection().size > 0 };
}

/** Begins to drag a conversation, with all selected ones if it is one of them. */
function useDragging(threads: readonly ThreadListItem[] | undefined) {
  const listed = useRef<readonly ThreadListItem[]>([]);
  useEffect(() => {
    listed.current = threads ?? [];
  }, [threads]);
  return useCallback((event: DragEvent, threadId: number) => {
    const selected = selectedIds();
    const isDragged = selected.has(threadId)
      ? ({ id }: ThreadListItem) => selected.has(id)
      : ({ id }: ThreadListItem) => id === threadId;
    dragThreads(
      event,
      listed.current.filter(isDragged).map(({ id, projectId = null }) => ({ id, projectId })),
    );
  }, []);
}

/** The list of a search and its filters. */
export function ThreadList({ filter, ...rest }: ThreadListProps) {
  const { isOpen, filters } = useSearchFilters();
  return (
    <>
      {isOpen && <FilterRow />}
      <FilteredList key={JSON.stringify(filters)} filter={withFilters(filter, filters)} {...rest} />
    </>
  );
}

function useRows(threads: readonly ThreadListItem[] | undefined, isGrouped: boolean): ThreadRow[] {
  return useMemo(() => {
    if (!threads) return [];
    return isGrouped ? groupThreads(threads, new Date()) : threads.map((thread) => ({ kind: 'thread', thread }));
  }, [threads, isGrouped]);
}

function FilteredList({ filter, openThreadId, onOpen, onOpenMatch, onRemoved }: ThreadListProps) {
  const client = useQueryClient();
  const list = useRef<VListHandle>(null);
  const { data, error, isFetching, refetch } = useQuery(threadListQuery(filter));
  const rows = useRows(data?.items, !isSearch(filter) && filter.view !== 'archived');
  const { open, openMatch } = useOpening({ onOpen, onOpenMatch });
  const { select, isSelecting } = useSelecting(data?.items);
  const drag = useDragging(data?.items);
  const loadMore = useFurtherPages(() => {
    const handle = list.current;
    if (!handle || !data?.nextCursor) return undefined;
    const isNear = handle.scrollSize - handle.scrollOffset - handle.viewportSize <= 1200;
    return isNear ? loadMoreThreads(client, filter) : undefined;
  });

  if (!data)
    return error && !isFetching ? <NotLoaded error={error} onRetry={() => void refetch()} /> : <LoadingThreads />;
  if (rows.length === 0) return <NoRows filter={filter} openThreadId={openThreadId} />;
  return (
    <>
      {isSelecting && (
        <SelectionBar view={filter.view} threads={data.items} openThreadId={openThreadId} onRemoved={onRemoved} />
      )}
      <VList
        ref={list}
        data={rows}
        onScroll={loadMore}
        onResize={loadMore}
        onKeyDown={moveFocus}
        bufferSize={400}
        role="navigation"
        aria-label={names[filter.view]}
        className="min-h-0 flex-1 px-2"
      >
        {(row) =>
          row.kind === 'heading' ? (
            <h3 key={row.label} className="px-2 pt-3 pb-1 font-medium text-faint-foreground text-xs">
              {row.label}
            </h3>
          ) : (
            <ThreadListRow
              key={row.thread.id}
              thread={row.thread}
              isOpen={row.thread.id === openThreadId}
              query={filter.q}
              onOpen={open}
              onOpenMatch={openMatch}
              onRemoved={onRemoved}
              onSelect={select}
              onDrag={drag}
            />
          )
        }
      </VList>
    </>
  );
}

function NotLoaded({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <div role="alert" className="min-h-0 flex-1 px-4 py-6 text-center">
      <p className="font-medium">The conversations could not be loaded</p>
      <p className="mt-1 text-muted-foreground text-sm">{errorText(error)}</p>
      <Button size="sm" className="mt-4" onClick={onRetry}>
        Try Again
      </Button>
    </div>
  );
}

function NoRows({ filter, openThreadId = 0 }: { filter: ThreadFilter; openThreadId: number | undefined }) {
  // From the cache only; the open conversation fetches it.
  const { data: open } = useQuery({ ...threadQuery(openThreadId), enabled: false });
  const isWriting = open !== undefined && open.runId !== null;
  const [IconPart, title, text] = isSearch(filter)
    ? [
        SearchX,
        'Nothing found',
        filter.only
          ? 'No conversations match your search and filters.'
          : `No conversation contains “${filter.q}”.${isWriting ? ' The answer being written can be found when it is finished.' : ''}`,
      ]
    : none[filter.view];
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center justify-center overflow-hidden px-6 py-4 text-center">
      <IconPart aria-hidden className="mb-3 size-5 text-faint-foreground" />
      <p className="font-medium">{title}</p>
      <p className="mt-1 text-muted-foreground text-sm [overflow-wrap:anywhere]">{text}</p>
    </div>
  );
}
