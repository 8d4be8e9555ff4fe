import type { ThreadListItem } from '@roster/contracts/chat';
import { Link } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { type MouseEvent, memo, type RefObject, useEffect, useRef, useState } from 'react';
import type { Match } from '#web/features/chat/shared/thread-state.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { searchPattern } from '#web/lib/text/search-pattern.ts';
import { Badge } from '#web/ui/badge.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { CreatedByToken } from './created-by-token.tsx';
import { ThreadMenu } from './thread-menu.tsx';

/** Text with search hits highlighted. */
function MarkedText({ text, query }: { text: string; query: string }) {
  const pattern = searchPattern(query);
  if (!pattern) return text;
  return text.split(pattern).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a part's only identity is its place
      <mark key={index} className="rounded-xs bg-warning/25 text-foreground">
        {part}
      </mark>
    ),
  );
}

const RenameField = lazyPart(async () => (await import('./rename-field.tsx')).RenameField);

type ThreadListRowProps = {
  thread: ThreadListItem;
  isOpen: boolean;
  query: string;
  onOpen: (threadId: number) => void;
  onOpenMatch: (match: Match) => void;
  onRemoved: (threadId: number) => unknown;
};

const isPlainClick = (event: MouseEvent) =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

/** Tracks renaming, and afterwards returns keyboard focus to the row. */
function useRenaming(link: RefObject<HTMLElement | null>) {
  const [renaming, setRenaming] = useState(false);
  const wasRenaming = useRef(false);
  useEffect(() => {
    if (wasRenaming.current && !renaming && document.activeElement === document.body) link.current?.focus();
    wasRenaming.current = renaming;
  }, [renaming, link]);
  return [renaming, setRenaming] as const;
}

/** A conversation in the list; modifier clicks open a new tab, as with any link. */
export const ThreadListRow = memo(function ThreadListRow(props: ThreadListRowProps) {
  const { thread, isOpen, query, onOpen, onOpenMatch, onRemoved } = props;
  const { match } = thread;
  const link = useRef<HTMLAnchorElement>(null);
  const [renaming, setRenaming] = useRenaming(link);

  if (renaming) return <RenameField thread={thread} onDone={() => setRenaming(false)} />;
  const open = (event: MouseEvent) => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    if (match) onOpenMatch({ threadId: thread.id, messageId: match.messageId, query });
    else onOpen(thread.id);
  };
  return (
    <div data-hovered className="relative py-px">
      <Link
        ref={link}
        to="/chat/$threadId"
        params={{ threadId: String(thread.id) }}
        onClick={open}
        preload={false}
        data-thread-link
        aria-current={isOpen ? 'page' : undefined}
        title={thread.title}
        className={classNames(
          'block min-h-10 rounded-md py-2.5 pe-9 ps-2 leading-5 transition-colors duration-120 hover:bg-hover',
          'max-md:min-h-11 max-md:py-3 max-md:pe-12',
          isOpen ? 'bg-active font-medium' : undefined,
        )}
      >
        <TitleAndMatch thread={thread} query={query} />
      </Link>
      <ThreadMenu
        thread={thread}
        onRename={() => setRenaming(true)}
        onRemoved={onRemoved}
        trigger={
          <IconButton
            label={`Actions for ${thread.title}`}
            tooltip="Actions"
            icon={Ellipsis}
            size="sm"
            className={classNames(
              'absolute top-1.5 inset-e-1.5 data-[state=open]:opacity-100 max-md:top-0.5 max-md:inset-e-0 max-md:size-11',
              '[@media(hover:hover)]:[[data-hovered]:not(:hover,:focus-within)_&:not([data-state=open])]:opacity-0',
            )}
          />
        }
      />
    </div>
  );
});

function TitleAndMatch({ thread, query }: Pick<ThreadListRowProps, 'thread' | 'query'>) {
  const { title, archived, madeBy, runId, waitsForApproval, match } = thread;
  return (
    <>
      <span className="flex items-center gap-2">
        <span dir="auto" className="min-w-0 flex-1 truncate">
          <MarkedText text={title} query={query} />
        </span>
        <CreatedByToken name={madeBy} className="max-w-[45%]" />
        {archived && query !== '' && <Badge>Archived</Badge>}
        {waitsForApproval && (
          <span className="flex shrink-0 items-center gap-1.5 font-medium text-foreground text-xs">
            <span aria-hidden className="size-1.5 rounded-full bg-accent" />
            Waits for you
          </span>
        )}
        {runId !== null && !waitsForApproval && (
          <span className="size-1.5 shrink-0 animate-pulse rounded-full bg-primary">
            <span className="sr-only">An answer is being written</span>
          </span>
        )}
      </span>
      {match && (
        <span dir="auto" className="mt-0.5 line-clamp-2 font-normal text-muted-foreground text-sm">
          <MarkedText text={match.snippet} query={query} />
        </span>
      )}
    </>
  );
}
