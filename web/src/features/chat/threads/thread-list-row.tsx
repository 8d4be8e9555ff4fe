import type { ThreadListItem } from '@roster/contracts/chat';
import { Link } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { type DragEvent, type MouseEvent, memo, type RefObject, useEffect, useRef, useState } from 'react';
import type { MarkedTextProps } from '#web/features/chat/search/marked-text.tsx';
import { useSelection } from '#web/features/chat/selection/selection.ts';
import { useLongPress } from '#web/features/chat/selection/use-long-press.ts';
import type { Match } from '#web/features/chat/shared/thread-state.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { Badge } from '#web/ui/badge.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { CreatedByToken } from './created-by-token.tsx';
import { ThreadMenu } from './thread-menu.tsx';

const Unmarked = ({ text }: MarkedTextProps) => text;
const MarkedText = lazyPart(async () => (await import('#web/features/chat/search/marked-text.tsx')).MarkedText, {
  pending: Unmarked,
  failed: Unmarked,
});
const RenameField = lazyPart(async () => (await import('./rename-field.tsx')).RenameField);

type ThreadListRowProps = {
  thread: ThreadListItem;
  isOpen: boolean;
  query: string;
  onOpen: (threadId: number) => void;
  onOpenMatch: (match: Match) => void;
  onRemoved: (threadId: number) => unknown;
  /** `isRange`: with all between it and the last selected one. */
  onSelect: (threadId: number, isRange: boolean) => void;
  /** With the selected ones, if it is selected. */
  onDrag: (event: DragEvent, threadId: number) => void;
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

type Clicked = Pick<ThreadListRowProps, 'thread' | 'query' | 'onOpen' | 'onOpenMatch' | 'onSelect'>;

/** Opens the conversation, or selects it once another one is selected. */
function clicked(event: MouseEvent, isSelecting: boolean, { thread, query, onOpen, onOpenMatch, onSelect }: Clicked) {
  const { id, match } = thread;
  if (isSelecting && !event.metaKey && !event.ctrlKey) {
    event.preventDefault();
    onSelect(id, event.shiftKey);
    return;
  }
  if (!isPlainClick(event)) return;
  event.preventDefault();
  if (match) onOpenMatch({ threadId: id, messageId: match.messageId, query });
  else onOpen(id);
}

/** A conversation in the list; modifier clicks open a new tab, as with any link. */
export const ThreadListRow = memo(function ThreadListRow(props: ThreadListRowProps) {
  const { thread, isOpen, query, onRemoved, onSelect, onDrag } = props;
  const selected = useSelection();
  const isSelecting = selected.size > 0;
  const isSelected = selected.has(thread.id);
  const longPress = useLongPress(() => onSelect(thread.id, false));
  const link = useRef<HTMLAnchorElement>(null);
  const [renaming, setRenaming] = useRenaming(link);

  if (renaming) return <RenameField thread={thread} onDone={() => setRenaming(false)} />;
  return (
    <div data-hovered className="relative py-px">
      <Link
        {...longPress}
        ref={link}
        to="/chat/$threadId"
        params={{ threadId: String(thread.id) }}
        onClick={(event) => clicked(event, isSelecting, props)}
        onDragStart={(event) => onDrag(event, thread.id)}
        preload={false}
        data-thread-link
        aria-current={isOpen ? 'page' : undefined}
        title={thread.title}
        className={classNames(
          'block min-h-10 rounded-md py-2.5 pe-9 ps-2 leading-5 transition-colors duration-120 hover:bg-hover',
          'max-md:min-h-11 max-md:py-3 max-md:pe-12',
          !isSelecting && '[@media(hover:hover)]:[[data-hovered]:is(:hover,:focus-within)_&]:pe-16',
          isOpen && 'font-medium',
          (isSelecting ? isSelected : isOpen) && 'bg-active',
        )}
      >
        <TitleAndMatch thread={thread} query={query} />
      </Link>
      <SelectBox thread={thread} isSelecting={isSelecting} isSelected={isSelected} onSelect={onSelect} />
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
              isSelecting && 'hidden!',
              'absolute top-1.5 inset-e-1.5 data-[state=open]:opacity-100 max-md:top-0.5 max-md:inset-e-0 max-md:size-11',
              '[@media(hover:hover)]:[[data-hovered]:not(:hover,:focus-within)_&:not([data-state=open])]:opacity-0',
            )}
          />
        }
      />
    </div>
  );
});

type SelectBoxProps = Pick<ThreadListRowProps, 'thread' | 'onSelect'> & { isSelecting: boolean; isSelected: boolean };

/** Shown on hover and focus, and on every row once something is selected; touch screens begin with a long press. */
function SelectBox({ thread: { id, title }, isSelecting, isSelected, onSelect }: SelectBoxProps) {
  return (
    <span
      className={classNames(
        'absolute top-3 size-4 max-md:top-3.5',
        isSelecting
          ? 'flex inset-e-2.5'
          : 'hidden inset-e-10 [@media(hover:hover)]:flex [[data-hovered]:not(:hover,:focus-within)_&]:opacity-0',
      )}
    >
      <Checkbox
        aria-label={`Select ${title}`}
        checked={isSelected}
        onClick={({ shiftKey }) => onSelect(id, shiftKey)}
        // The click has changed it, which alone knows the Shift key.
        onChange={() => undefined}
      />
    </span>
  );
}

function TitleAndMatch({ thread, query }: Pick<ThreadListRowProps, 'thread' | 'query'>) {
  const { title, archived, madeBy, runId, waitsForApproval, match } = thread;
  return (
    <>
      <span className="flex items-center gap-2">
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {query === '' ? title : <MarkedText text={title} query={query} of="title" />}
        </span>
        <CreatedByToken name={madeBy} className="max-w-[45%]" />
        {archived && query !== '' && <Badge>Archived</Badge>}
        {waitsForApproval && (
          <span className="flex shrink-0 items-center gap-1.5 font-medium text-foreground text-xs">
            <span aria-hidden className="size-1.5 rounded-full bg-accent" />
            Waiting for you
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
          <MarkedText text={match.snippet} query={query} of="message" />
        </span>
      )}
    </>
  );
}
