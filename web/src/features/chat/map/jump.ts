import { unfold } from '#web/features/chat/folding/folding.ts';
import type { OpenThread } from '#web/features/chat/shared/thread-state.ts';
import { plainText } from './headings.ts';

/** Frames in which the list draws a message that was far away. */
const framesToDraw = 60;
/** From then on the reader decides. */
const readerActs = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

const rowOf = (area: Element | null | undefined, messageId: number) =>
  area?.querySelector(`[data-message="${messageId}"]`);

/** An answer that is being opened. */
const isFolded = (row: Element) => row.querySelector('[data-folded][data-unfolds]') !== null;

function targetIn(row: Element, heading: string | undefined): Element {
  const headings = [...row.querySelectorAll('h3, h4, h5, h6')];
  return headings.find(({ textContent }) => heading !== undefined && plainText(textContent) === heading) ?? row;
}

/** Scrolls to the start of a loaded message, or to a heading in it. */
export function jumpTo({ client, list }: OpenThread, messageId: number, heading?: string): void {
  unfold(client, messageId);
  list.current?.show(messageId);
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  // The list measures what has been opened above and below, which moves the message after it was reached.
  const refine = (framesLeft: number) => {
    if (isOver || framesLeft === 0) return;
    const row = rowOf(list.current?.area(), messageId);
    if (row && !isFolded(row)) targetIn(row, heading).scrollIntoView({ block: 'start' });
    requestAnimationFrame(() => refine(framesLeft - 1));
  };
  // The list scrolls and measures what has been opened first; then the message has its place.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      for (const act of readerActs) addEventListener(act, end, { once: true, passive: true });
      refine(framesToDraw);
    }),
  );
}
