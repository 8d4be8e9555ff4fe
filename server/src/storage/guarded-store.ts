import { AppError, isDiskFull, UnavailableError } from '#server/lib/errors';
import { createWatchdog, withDeadline } from '#server/lib/watchdog';
import { BytesNotFoundError, type FileStore } from './file-store.ts';

/** One check serves all callers within this time. */
const checkedForMs = 500;
const checkMs = 2_000;

/** Errors that do not mean an unavailable store: disk full, nothing under a name, and errors of the content itself. */
const isNotOutage = (error: unknown) =>
  isDiskFull(error) || error instanceof BytesNotFoundError || error instanceof AppError;

/** A store that reports its unavailability within seconds. */
export function guardedStore(store: FileStore & { breakOff?: () => void }): FileStore {
  const { breakOff } = store;
  const watch = createWatchdog({ probe: store.check, ...(breakOff && { onAway: breakOff }) });
  let checked: { at: number; answer: Promise<void> } | undefined;

  const guarded = <T>(work: () => Promise<T>): Promise<T> =>
    watch.during(work).catch((error: unknown) => {
      throw isNotOutage(error) ? error : new UnavailableError('storage', error);
    });

  return {
    async put(key, content) {
      let ofContent: { error: unknown } | undefined;
      async function* noting() {
        try {
          yield* content;
        } catch (error) {
          ofContent = { error };
          throw error;
        }
      }
      await guarded(() => store.put(key, noting())).catch((error: unknown) => {
        throw ofContent ? ofContent.error : error;
      });
    },
    read: (key) => guarded(() => store.read(key)),
    remove: (key) => guarded(() => store.remove(key)),
    freeBytes: () => guarded(store.freeBytes),
    check() {
      const now = performance.now();
      if (!checked || now - checked.at > checkedForMs)
        checked = { at: now, answer: guarded(() => withDeadline(checkMs, store.check())) };
      return checked.answer;
    },
  };
}
