import { findLimit } from '@roster/contracts/chat';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp, Search, X } from 'lucide-react';
import { type KeyboardEvent, type Ref, useEffect, useRef, useState } from 'react';
import type { MessageWindow } from '#web/features/chat/shared/message-window.ts';
import { messagesQuery } from '#web/features/chat/shared/thread-queries.ts';
import type { OpenThread } from '#web/features/chat/shared/thread-state.ts';
import { isImeKey } from '#web/lib/keyboard/enter-key.ts';
import { useCapturedKeys } from '#web/lib/keyboard/use-captured-keys.ts';
import { Input } from '#web/ui/forms/input.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { useFind } from './use-find.ts';

/** Milliseconds before a typed text is searched. */
const settleAfter = 200;

type FindBarProps = { open: OpenThread; onClose: () => void };

/** Searches the conversation; the browser's own search covers only rendered messages. */
export function FindBar({ open, onClose }: FindBarProps) {
  const messages = useQuery(messagesQuery(open.threadId));
  return messages.data && <Bar open={open} onClose={onClose} window={messages.data} />;
}

function Bar({ open, onClose, window }: FindBarProps & { window: MessageWindow }) {
  const [typed, setTyped] = useState('');
  const [query, setQuery] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const find = useFind(open, window, query);
  useCapturedKeys(field, setTyped);
  useEffect(() => {
    const timer = setTimeout(() => setQuery(typed.trim()), settleAfter);
    return () => clearTimeout(timer);
  }, [typed]);

  const keyDown = (event: KeyboardEvent) => {
    if (isImeKey(event.nativeEvent)) return;
    if (event.key === 'Escape') onClose();
    else if (event.key === 'Enter' && event.target === field.current) {
      // Enter searches newly typed text at once.
      if (typed.trim() === query) find.move(event.shiftKey ? -1 : 1);
      else setQuery(typed.trim());
    } else return;
    event.preventDefault();
  };
  const isEmpty = find.total === 0;
  return (
    <search
      aria-label="Find in conversation"
      onKeyDown={keyDown}
      className="flex shrink-0 flex-wrap items-center gap-1 border-border border-b bg-card px-4 py-2 max-md:px-2"
    >
      <Field ref={field} typed={typed} onType={setTyped} />
      <output
        dir="ltr"
        className="min-w-20 px-1 text-center text-muted-foreground text-sm tabular-nums max-md:min-w-16"
      >
        {query === '' ? '' : countInWords(find)}
      </output>
      <IconButton
        label="Previous match"
        tooltip="Previous match (Shift+Enter)"
        icon={ChevronUp}
        disabled={isEmpty}
        onClick={() => find.move(-1)}
      />
      <IconButton
        label="Next match"
        tooltip="Next match (Enter)"
        icon={ChevronDown}
        disabled={isEmpty}
        onClick={() => find.move(1)}
      />
      <IconButton label="Close search" tooltip="Close (Esc)" icon={X} onClick={onClose} className="md:ms-auto" />
      <Problem find={find} />
    </search>
  );
}

type FieldProps = { ref: Ref<HTMLInputElement>; typed: string; onType: (text: string) => void };

function Field({ ref, typed, onType }: FieldProps) {
  return (
    <div className="relative min-w-0 flex-1 md:max-w-md">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 inset-s-3 size-4 -translate-y-1/2 text-muted-foreground"
      />
      <Input
        ref={ref}
        data-find-field
        aria-label="Find in conversation"
        placeholder="Find in conversation"
        maxLength={findLimit}
        spellCheck={false}
        autoComplete="off"
        enterKeyHint="search"
        value={typed}
        onChange={(event) => onType(event.currentTarget.value)}
        // The text's direction may differ from the page's, which places the icon: leave room on both sides.
        className="px-9"
      />
    </div>
  );
}

type Find = ReturnType<typeof useFind>;

function countInWords({ number, total, isSearching }: Find): string {
  if (total > 0) return `${number} of ${total}`;
  return isSearching ? 'Searching…' : 'No matches';
}

function Problem({ find: { problem, retry, isCut } }: { find: Find }) {
  if (problem === null && !isCut) return null;
  return (
    <p role="status" className="basis-full px-1 pt-1 text-muted-foreground text-sm">
      {problem ?? 'Only the newest 5,000 messages were searched.'}
      {problem !== null && (
        <button type="button" onClick={retry} className="ms-2 font-medium text-primary-text hover:underline">
          Try again
        </button>
      )}
    </p>
  );
}
