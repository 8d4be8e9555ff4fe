import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { focusUnlessTouch } from '#web/features/chat/shared/focus-unless-touch.ts';
import { messagesQuery } from '#web/features/chat/shared/thread-queries.ts';
import type { FoundMessage, OpenThread } from '#web/features/chat/shared/thread-state.ts';
import { captureKeys, takeCapturedKeys } from '#web/lib/keyboard/key-capture.ts';
import { isApple } from '#web/lib/keyboard/keyboard.ts';
import { lazyPart, preloadOnceUsable } from '#web/lib/lazy.ts';
import { toastError } from '#web/lib/toast.ts';

const FindBar = lazyPart(async () => (await import('./find-bar.tsx')).FindBar);
const SearchHighlights = lazyPart(async () => (await import('./search-highlights.ts')).SearchHighlights);
preloadOnceUsable(FindBar.load);

/** Ctrl+F, or Cmd+F on a Mac; by key position on layouts without an F. */
function isFindKey({ key, code, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  if (altKey || shiftKey || (isApple ? !metaKey || ctrlKey : !ctrlKey || metaKey)) return false;
  return key.toLowerCase() === 'f' || (code === 'KeyF' && !/^[a-z]$/i.test(key));
}

/** The search bar of an open conversation and the shortcut that opens it. */
export function useFindBar(open: OpenThread, target: FoundMessage | null): { begin: () => void; bar: ReactNode } {
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const before = useRef<Element | null>(null);
  const close = () => {
    setIsOpen(false);
    const { current } = before;
    if (current instanceof HTMLElement && current.isConnected && current !== document.body) current.focus();
    else focusUnlessTouch(open.box.current);
  };
  const begin = () => {
    const field = document.querySelector<HTMLInputElement>('[data-find-field]');
    if (field) {
      field.focus();
      field.select();
      return;
    }
    before.current = document.activeElement;
    setIsOpen(true);
    captureKeys(close);
    FindBar.load().catch(() => {
      takeCapturedKeys();
      setIsOpen(false);
      toastError({ title: 'The search could not be opened', description: 'Reload the page and try again.' });
    });
  };
  const keyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || !isFindKey(event)) return;
    if (document.querySelector('[aria-modal="true"]')) return;
    // A second Ctrl+F in the field opens the browser's search of the whole page.
    if (document.activeElement?.matches('[data-find-field]')) return;
    if (!client.getQueryData(messagesQuery(open.threadId).queryKey)?.items.length) return;
    event.preventDefault();
    begin();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => keyDown(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);

  const bar = isOpen ? (
    <FindBar open={open} onClose={close} />
  ) : (
    target && <SearchHighlights list={open.list} {...target} />
  );
  return { begin, bar };
}
