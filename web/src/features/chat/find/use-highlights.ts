import { type RefObject, useEffect, useEffectEvent } from 'react';
import type { MessageListHandle } from '#web/features/chat/shared/thread-state.ts';
import { clearHighlights, findRanges, highlightRanges, renderedRows } from './highlights.ts';
import type { Place } from './hits.ts';

/** Rendered messages with their hits. */
export type RenderedHits = ReadonlyMap<number, readonly Range[]>;

type Marking = {
  list: RefObject<MessageListHandle | null>;
  pattern: RegExp | null;
  /** Restricts highlighting to one message; null for all. */
  only: number | null;
  /** The current hit, highlighted differently. */
  here: Place | null;
  /** Called after each DOM change. */
  onDrawn: (drawn: RenderedHits, area: Element) => void;
};

/** Keeps hits highlighted while messages are added, change and are removed. */
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
      // The messages may not be rendered yet.
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
