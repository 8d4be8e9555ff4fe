import { type RefObject, useEffect, useEffectEvent } from 'react';
import type { MessageListHandle } from '#web/features/chat/messages/message-list.tsx';
import { drawnRows, mark, rangesIn, unmark } from './marks.ts';
import type { Place } from './places.ts';

/** The drawn messages with the places of a text in them. */
export type Drawn = ReadonlyMap<number, readonly Range[]>;

type Marking = {
  list: RefObject<MessageListHandle | null>;
  pattern: RegExp | null;
  /** In this message only; null: in all that are drawn. */
  only: number | null;
  /** Marked differently. */
  here: Place | null;
  /** After each change of the document. */
  onDrawn: (drawn: Drawn, area: Element) => void;
};

/** Keeps the places of a text marked while messages come, change and leave the document. */
export function useMarks({ list, pattern, only, here, onDrawn }: Marking): void {
  const draw = useEffectEvent(() => {
    const area = list.current?.area();
    if (!area) return;
    const rows = [...drawnRows(area)].filter(([id]) => only === null || id === only);
    const drawn: Drawn = new Map(rows.map(([id, row]) => [id, pattern ? rangesIn(row, pattern) : []]));
    mark([...drawn.values()].flat(), here ? drawn.get(here.messageId)?.[here.nth] : undefined);
    onDrawn(drawn, area);
  });
  useEffect(() => {
    let frame = 0;
    const drawSoon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => draw());
    };
    const observer = new MutationObserver(drawSoon);
    const begin = () => {
      const area = list.current?.area();
      // The messages may still be on their way.
      if (!area) frame = requestAnimationFrame(begin);
      else {
        observer.observe(area, { childList: true, subtree: true, characterData: true });
        draw();
      }
    };
    begin();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      unmark();
    };
  }, [list]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is marked changes with these
  useEffect(() => draw(), [pattern, only, here]);
}
