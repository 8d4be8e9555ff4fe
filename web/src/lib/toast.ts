import { createStore, useStore } from './store.ts';

export const maxToasts = 5;
export const toastDuration = 5000;

export type ToastMessage = {
  title: string;
  description?: string | undefined;
  /** Milliseconds until it goes by itself. */
  duration?: number | undefined;
  /** A way on from here; it also closes the toast. */
  action?: { label: string; onSelect: () => void } | undefined;
};
type ShownToast = ToastMessage & { id: number; isProblem: boolean };

/** The newest first. */
const shown = createStore<readonly ShownToast[]>([]);
let lastId = 0;

function show(message: ToastMessage, isProblem: boolean) {
  lastId += 1;
  shown.set([{ ...message, id: lastId, isProblem }, ...shown.get()].slice(0, maxToasts));
}

/** Shows a message above the page; the oldest of more than five goes. */
export const toast = (message: ToastMessage): void => show(message, false);

/** The same for what cannot be done or did not work. `tellFailure` says an error so. */
export const toastError = (message: ToastMessage): void => show(message, true);

export function dismissToast(id: number): void {
  shown.set(shown.get().filter((candidate) => candidate.id !== id));
}

/** What failed before does not stand beside its success. */
export function dismissErrorToasts(): void {
  shown.set(shown.get().filter(({ isProblem }) => !isProblem));
}

export const useToasts = (): readonly ShownToast[] => useStore(shown);
