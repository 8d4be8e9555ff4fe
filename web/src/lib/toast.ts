import { createStore, useStore } from './store.ts';

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
const shown = createStore<readonly ShownToast[]>([]);
let lastId = 0;

/** Shows a message above the page; the oldest of more than five goes. */
export function toast(message: ToastMessage): void {
  lastId += 1;
  shown.set([{ ...message, id: lastId }, ...shown.get()].slice(0, toastsAtOnce));
}

/** The same for what cannot be done or did not work. `tellFailure` says an error so. */
export const tellProblem = (message: Omit<ToastMessage, 'variant'>): void =>
  toast({ ...message, variant: 'destructive' });

export function dismissToast(id: number): void {
  shown.set(shown.get().filter((candidate) => candidate.id !== id));
}

export const useToasts = (): readonly ShownToast[] => useStore(shown);
