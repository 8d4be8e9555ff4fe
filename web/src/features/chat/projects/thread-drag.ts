import type { DragEvent } from 'react';
import type { MovedThread } from './move-threads.ts';

const format = 'application/x-roster-conversations';

/** Not in the data itself, which a drop alone may read: conversations are only dragged within a page. */
let dragged: readonly MovedThread[] = [];

/** Begins to drag conversations; the address of a dragged link stays, for other applications. */
export function dragThreads(event: DragEvent, threads: readonly MovedThread[]): void {
  dragged = threads;
  event.dataTransfer.setData(format, String(threads.length));
  event.dataTransfer.effectAllowed = 'copyMove';
}

export const isThreadDrag = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes(format);

export const droppedThreads = (): readonly MovedThread[] => dragged;
