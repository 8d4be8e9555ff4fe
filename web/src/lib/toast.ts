import { createStore, useStore } from './store.ts';

const maxToasts = 5;
export const toastDuration = 5000;

type ToastMessage = {
  title: string;
  description?: string | undefined;
  /** Milliseconds until it is dismissed. */
  duration?: number | undefined;
  /** Pressing it also closes the toast. */
  action?: { label: string; onSelect: () => void } | undefined;
  /** Replaces the shown toast of this topic; by default the one with the same words. */
  topic?: string | undefined;
};
type ShownToast = ToastMessage & { id: number; isProblem: boolean };

/** Newest first. */
const shown = createStore<readonly ShownToast[]>([]);
let lastId = 0;

function show(message: ToastMessage, isProblem: boolean) {
  lastId += 1;
  const others = shown.get().filter((other) => !isReplaced(other, message));
  shown.set([{ ...message, id: lastId, isProblem }, ...others].slice(0, maxToasts));
}

function isReplaced(shown: ToastMessage, by: ToastMessage): boolean {
  if (shown.topic !== undefined || by.topic !== undefined) return shown.topic === by.topic;
  // Each action is about something else, such as a conversation with the same title.
  return !shown.action && !by.action && shown.title === by.title && shown.description === by.description;
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
