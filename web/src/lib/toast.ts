import { createStore, useStore } from './store.ts';

export const maxToasts = 5;
export const toastDuration = 5000;

export type ToastMessage = {
  title: string;
  description?: string | undefined;
  /** Milliseconds until it is dismissed. */
  duration?: number | undefined;
  /** Pressing it also closes the toast. */
  action?: { label: string; onSelect: () => void } | undefined;
};
type ShownToast = ToastMessage & { id: number; isProblem: boolean };

/** Newest first. */
const shown = createStore<readonly ShownToast[]>([]);
let lastId = 0;

function show(message: ToastMessage, isProblem: boolean) {
  lastId += 1;
  shown.set([{ ...message, id: lastId, isProblem }, ...shown.get()].slice(0, maxToasts));
}

/** Shows a toast; drops the oldest beyond five. */
export const toast = (message: ToastMessage): void => show(message, false);

/** Shows an error toast. For an error object use `tellFailure`. */
export const toastError = (message: ToastMessage): void => show(message, true);

export function dismissToast(id: number): void {
  shown.set(shown.get().filter((candidate) => candidate.id !== id));
}

/** Call on success: removes toasts about earlier failures. */
export function dismissErrorToasts(): void {
  shown.set(shown.get().filter(({ isProblem }) => !isProblem));
}

export const useToasts = (): readonly ShownToast[] => useStore(shown);
