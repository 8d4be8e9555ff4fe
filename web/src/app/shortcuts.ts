import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useUser } from '#web/api/current-user.ts';
import { isApple } from '#web/lib/keyboard/keyboard.ts';
import { pagesFor } from './navigation.ts';

/**
 * New chat, also while typing. No browser uses Alt+N and it types nothing; on Apple keyboards Option+N starts an ñ, so
 * it is Control+Option+N there.
 */
export const newChatKeys: readonly string[] = isApple ? ['⌃', '⌥', 'N'] : ['Alt', 'N'];
export const newChatAria = isApple ? 'Control+Alt+N' : 'Alt+N';
const isNewChat = ({ altKey, ctrlKey, metaKey, shiftKey, code }: KeyboardEvent) =>
  code === 'KeyN' && altKey && ctrlKey === isApple && !metaKey && !shiftKey;

const untyped = ['checkbox', 'radio', 'range', 'file'].map((type) => `:not([type='${type}'])`).join('');

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches(`input${untyped}, textarea, select`));

const isBehindLayer = () => document.querySelector('dialog[open][aria-modal="true"]') !== null;

type Actions = { openPalette: () => void; openShortcutList: () => void; toggleSidebar: () => void };

/** Global shortcuts: Ctrl/Cmd+K, new chat, ?, [ and G followed by a page's letter. */
export function useShortcuts(actions: Actions): void {
  const navigate = useNavigate();
  const pages = pagesFor(useUser());
  const goPressedAt = useRef(0);

  useEffect(() => {
    const plainKey = (key: string, at: number) => {
      const page = pages.find((candidate) => candidate.key === key);
      if (page && at - goPressedAt.current < 1000) {
        goPressedAt.current = 0;
        void navigate({ to: page.to });
      } else if (key === 'g') goPressedAt.current = at;
      else if (key === '?') actions.openShortcutList();
      else if (key === '[') actions.toggleSidebar();
      else return false;
      return true;
    };
    const keyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat || isBehindLayer()) return;
      const command = event.metaKey || event.ctrlKey;
      if (command && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        actions.openPalette();
      } else if (isNewChat(event)) {
        event.preventDefault();
        void navigate({ to: '/chat', search: { new: true } });
      } else if (!command && !event.altKey && !isTyping(event.target) && plainKey(event.key, event.timeStamp)) {
        event.preventDefault();
      }
    };
    document.addEventListener('keydown', keyDown);
    return () => document.removeEventListener('keydown', keyDown);
  });
}
