import { type RefObject, useEffect, useEffectEvent } from 'react';
import type { MessageListHandle } from '#web/features/chat/messages/message-list.tsx';
import { clearHighlights, findRanges, highlightRanges, renderedRows } from './highlights.ts';
import type { Place } from './hits.ts';

/** The drawn messages with the places of a text in them. */
export type RenderedHits = ReadonlyMap<number, readonly Range[]>;

type Marking = {
  list: RefObject<MessageListHandle | null>;
  pattern: RegExp | null;
  /** In this message only; null: in all that are drawn. */
  only: number | null;
  /** Marked differently. */
  here: Place | null;
  /** After each change of the document. */
  onDrawn: (drawn: RenderedHits, area: Element) => void;
};

/** Keeps the places of a text marked while messages come, change and leave the document. */
export function useHighlights({ list, pattern, only, here, onDrawn }: Marking): void {
  const draw = useEffectEvent(() => {
    const area = list.current?.area();
    if (!area) return;
    const rows = [...renderedRows(area)].filter(([id]) => only === null || id === only);
    const drawn: RenderedHits = new Map(rows.map(([id, row]) => [id, pattern ? findRanges(row, pattern) : []]));
    highlightRanges([...drawn.values()].flat(), here ? drawn.get(here.messageId)?.[here.nth] : undefined);
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
      clearHighlights();
    };
  }, [list]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is marked changes with these
  useEffect(() => draw(), [pattern, only, here]);
}
