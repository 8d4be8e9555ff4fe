import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Archive, MessagesSquare, SearchX } from 'lucide-react';
import { type KeyboardEvent, useCallback, useMemo, useRef } from 'react';
import { VList, type VListHandle } from 'virtua';
import { errorText } from '#web/lib/api.ts';
import { tellFailure } from '#web/lib/failure.ts';
import { Button } from '#web/ui/button.tsx';
import { LoadingRows } from './loading-rows.tsx';
import { type ThreadFilter, threadListQuery } from './queries.ts';
import { forgetMiddle, loadAround, loadMoreThreads } from './thread-cache.ts';
import { groupThreads, type ThreadRow } from './thread-groups.ts';
import { ThreadListRow } from './thread-list-row.tsx';
import { threadQuery } from './thread-queries.ts';

type Match = { threadId: number; messageId: number };

type ThreadListProps = {
  filter: ThreadFilter;
  openThreadId: number | undefined;
  onOpen: (threadId: number) => void;
  onOpenMatch: (match: Match) => void;
  onRemoved: (threadId: number) => void;
};

/** One way down or up through the rows that are there. */
function moveFocus(event: KeyboardEvent<HTMLElement>) {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || !(event.target instanceof HTMLElement) || event.target.matches('input')) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-thread-link]')];
  const next = rows[rows.indexOf(event.target) + step];
  if (!next || !rows.includes(event.target)) return;
  event.preventDefault();
  next.focus();
}

export function ThreadList({ filter, openThreadId, onOpen, onOpenMatch, onRemoved }: ThreadListProps) {
  const client = useQueryClient();
  const list = useRef<VListHandle>(null);
  const loading = useRef(false);
  const { data, error, isFetching, refetch } = useQuery(threadListQuery(filter));
  const rows = useMemo<ThreadRow[]>(() => {
    if (!data) return [];
    if (filter.q === '' && !filter.archived) return groupThreads(data.items, new Date());
    return data.items.map((thread) => ({ kind: 'thread', thread }));
  }, [data, filter.q, filter.archived]);

  const loadMore = () => {
    const handle = list.current;
    if (!handle || loading.current || !data?.nextCursor) return;
    if (handle.scrollSize - handle.scrollOffset - handle.viewportSize > 1200) return;
    loading.current = true;
    loadMoreThreads(client, filter)
      // The next movement of the list asks again.
      .catch(() => undefined)
      .finally(() => {
        loading.current = false;
      });
  };

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
        return tellFailure('The message could not be opened')(failure);
      }
      onOpenMatch(match);
    },
    [client, onOpenMatch],
  );

  if (!data) {
    if (!error || isFetching) return <LoadingRows />;
    return (
      <div role="alert" className="min-h-0 flex-1 px-4 py-6 text-center">
        <p className="font-medium">The conversations could not be loaded</p>
        <p className="mt-1 text-muted-foreground text-sm">{errorText(error)}</p>
        <Button size="sm" className="mt-4" onClick={() => void refetch()}>
          Try Again
        </Button>
      </div>
    );
  }
  if (rows.length === 0) return <NoRows filter={filter} openThreadId={openThreadId} />;
  return (
    <VList
      ref={list}
      data={rows}
      onScroll={loadMore}
      onResize={loadMore}
      onKeyDown={moveFocus}
      bufferSize={400}
      role="navigation"
      aria-label={filter.archived ? 'Archived conversations' : 'Recent conversations'}
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
          />
        )
      }
    </VList>
  );
}

function NoRows({ filter, openThreadId = 0 }: { filter: ThreadFilter; openThreadId: number | undefined }) {
  // As it is known here; the open conversation itself asks the server.
  const { data: open } = useQuery({ ...threadQuery(openThreadId), enabled: false });
  const isWriting = open !== undefined && open.runId !== null;
  const [IconPart, title, text] =
    filter.q !== ''
      ? [
          SearchX,
          'Nothing found',
          `No conversation contains “${filter.q}”.${isWriting ? ' The answer that is being written can be found once it has ended.' : ''}`,
        ]
      : filter.archived
        ? [Archive, 'Nothing archived', 'Archived conversations are kept here, out of the way.']
        : [MessagesSquare, 'No conversations yet', 'Start one with New Chat.'];
  return (
    <div className="flex min-h-0 flex-1 flex-col items-center justify-center overflow-hidden px-6 py-4 text-center">
      <IconPart aria-hidden className="mb-3 size-5 text-faint-foreground" />
      <p className="font-medium">{title}</p>
      <p className="mt-1 text-muted-foreground text-sm [overflow-wrap:anywhere]">{text}</p>
    </div>
  );
}
