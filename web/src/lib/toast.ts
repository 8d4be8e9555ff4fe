import { useSyncExternalStore } from 'react';

export const toastsAtOnce = 5;
export const toastDuration = 5000;

export type ToastMessage = {
  title: string;
  description?: string | undefined;
  variant?: 'default' | 'destructive' | undefined;
  /** Milliseconds until it goes by itself. */
  duration?: number | undefined;
  /** A way on from here; it also closes the toast. */
  action?: { label: string; onSelect: () => void } | undefined;
};
type ShownToast = ToastMessage & { id: number };

/** The newest first. */
let shown: readonly ShownToast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function show(next: readonly ShownToast[]) {
  shown = next;
  for (const listener of listeners) listener();
}

/** Shows a message above the page; the oldest of more than five goes. */
export function toast(message: ToastMessage): void {
  lastId += 1;
  show([{ ...message, id: lastId }, ...shown].slice(0, toastsAtOnce));
}

export function dismissToast(id: number): void {
  show(shown.filter((candidate) => candidate.id !== id));
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useToasts(): readonly ShownToast[] {
  const now = () => shown;
  return useSyncExternalStore(subscribe, now, now);
}
