import { unfold } from '#web/features/chat/folding/folding.ts';
import type { OpenThread } from '#web/features/chat/shared/thread-state.ts';
import { plainText } from './headings.ts';

/** Frames in which the list draws a message that was far away. */
const framesToDraw = 30;

const rowOf = (area: Element | null | undefined, messageId: number) =>
  area?.querySelector(`[data-message="${messageId}"]`);

/** An answer that is being opened. */
const isFolded = (row: Element) => row.querySelector('[data-folded][data-unfolds]') !== null;

/** Scrolls to the start of a loaded message, or to a heading in it. */
export function jumpTo({ client, list }: OpenThread, messageId: number, heading?: string): void {
  unfold(client, messageId);
  list.current?.show(messageId);
  const refine = (framesLeft: number) => {
    const row = rowOf(list.current?.area(), messageId);
    if (row && !isFolded(row)) {
      const headings = [...row.querySelectorAll('h3, h4, h5, h6')];
      const found = headings.find(({ textContent }) => heading !== undefined && plainText(textContent) === heading);
      (found ?? row).scrollIntoView({ block: 'start' });
    } else if (framesLeft > 0) requestAnimationFrame(() => refine(framesLeft - 1));
  };
  // The list scrolls and measures what has been opened first; then the message has its place.
  requestAnimationFrame(() => requestAnimationFrame(() => refine(framesToDraw)));
}
