import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { promptQuery, useMarkPromptUsed } from '#web/api/prompts.ts';
import { useComposer } from '#web/features/chat/shared/composer-state.ts';
import { isImeKey } from '#web/lib/keyboard/enter-key.ts';
import { replaceIn } from '#web/lib/replace-in.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { useStore } from '#web/lib/store.ts';
import { FillBar } from './fill-bar.tsx';
import { createFilling, type Filling } from './filling.ts';
import type { MenuKeys } from './option-menu.tsx';
import { PromptMenu } from './prompt-menu.tsx';
import { selectIn } from './select-in.ts';
import { type SlashWord, slashWordAt } from './slash-word.ts';
import { ValueMenu, valuesOf } from './value-menu.tsx';

type ComposerPromptsProps = { place: string; box: RefObject<HTMLTextAreaElement | null> };

/** Inserts prompts into the message after a slash, and fills in their variables. */
export function ComposerPrompts({ place, box }: ComposerPromptsProps) {
  const [field] = useState(() => box.current);
  return field && <PromptsOf place={place} box={field} />;
}

function PromptsOf({ place, box }: { place: string; box: HTMLTextAreaElement }) {
  const [filling] = useState(() => createFilling(box, place));
  const keys: MenuKeys = useRef(null);
  const { slash, close } = useSlashWord(box, filling);
  const take = useTakePrompt(box, filling, close);
  useKeys(box, filling, keys);
  useLeaveFilling(place, filling);
  const state = useStore(filling.state);
  const isSelected = state?.active?.start === box.selectionStart && state.active.end === box.selectionEnd;
  const values = state && !slash ? valuesOf(state, isSelected) : [];
  return (
    <>
      {state && <FillBar state={state} filling={filling} />}
      {slash && (
        <PromptMenu {...{ box, keys }} word={slash.word} onTake={(id) => void take(slash, id)} onClose={close} />
      )}
      {state?.active && values.length > 0 && (
        <ValueMenu
          {...{ box, keys, values }}
          name={state.active.variable.name}
          onTake={filling.take}
          onClose={filling.end}
        />
      )}
    </>
  );
}

/** The word after a slash, while its list is open: from when it is typed until the caret or the focus leaves it. */
function useSlashWord(box: HTMLTextAreaElement, filling: Filling) {
  const read = () => (box.selectionStart === box.selectionEnd ? slashWordAt(box.value, box.selectionStart) : null);
  // Shown for the first time because one has just been typed.
  const [slash, setSlash] = useState<SlashWord | null>(read);
  /** The start of a word for which the list was closed. */
  const closedAt = useRef<number | null>(null);
  const onInput = useEffectEvent((isPasted: boolean) => {
    filling.follow();
    const now = read();
    if (!now || isPasted) closedAt.current = now?.start ?? null;
    setSlash(now && closedAt.current !== now.start ? now : null);
  });
  const onMove = useEffectEvent(() => {
    if (document.activeElement !== box) return;
    filling.look();
    if (slash) setSlash(read());
  });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const input = (event: Event) =>
      onInput(event instanceof InputEvent && /^insertFrom(Paste|Drop)/.test(event.inputType));
    box.addEventListener('input', input, { signal });
    box.addEventListener('blur', () => setSlash(null), { signal });
    document.addEventListener('selectionchange', () => onMove(), { signal });
    return () => controller.abort();
  }, [box]);
  const close = () => {
    closedAt.current = slash?.start ?? null;
    setSlash(null);
  };
  return { slash, close };
}

/** Puts a prompt in the place of the slash and its word. What was typed since stays behind it. */
function useTakePrompt(box: HTMLTextAreaElement, filling: Filling, close: () => void) {
  const client = useQueryClient();
  const markUsed = useMarkPromptUsed();
  return async ({ start, end }: SlashWord, promptId: number) => {
    const written = box.value.slice(start, end);
    close();
    try {
      const prompt = await client.fetchQuery(promptQuery(promptId));
      // As the field stores it, so that places in both are the same.
      const text = prompt.text.replace(/\r\n?/g, '\n');
      if (box.value.slice(start, end) !== written) return;
      filling.end();
      replaceIn(box, start, end, text);
      selectIn(box, start + text.length, start + text.length);
      filling.begin(text, start);
      markUsed.mutate(promptId);
    } catch (error) {
      showFailure('The prompt could not be inserted', 'Please try again.')(error);
    }
  };
}

/** Tab and Escape while variables are filled in. Returns false for keys that keep their meaning. */
function takeFillingKey(filling: Filling, { key, shiftKey }: KeyboardEvent): boolean {
  const state = filling.state.get();
  if (!state || (key !== 'Tab' && key !== 'Escape')) return false;
  if (key === 'Tab') return (shiftKey || state.active !== undefined) && filling.step(shiftKey ? 'back' : 'next');
  filling.end();
  return true;
}

/** Keys go to the open list first. */
function useKeys(box: HTMLTextAreaElement, filling: Filling, keys: MenuKeys) {
  useEffect(() => {
    const keyDown = (event: KeyboardEvent) => {
      if (isImeKey(event) || !(keys.current?.(event) || takeFillingKey(filling, event))) return;
      // The field's own handler would send the message, and the page’s would stop the answer.
      event.preventDefault();
      event.stopPropagation();
    };
    box.addEventListener('keydown', keyDown);
    return () => box.removeEventListener('keydown', keyDown);
  }, [box, filling, keys]);
}

/** Ends when the message is sent or replaced, and when the conversation is left. */
function useLeaveFilling(place: string, filling: Filling) {
  const { text } = useComposer(place);
  useEffect(() => {
    const now = filling.state.get();
    if (now && now.text !== text) filling.end();
  }, [text, filling]);
  useEffect(() => () => filling.end(), [filling]);
}
