import { createStore, useStore } from '#web/lib/store.ts';

/** Conversations selected in the list. `anchor`: where a range begins. */
type Selection = { ids: ReadonlySet<number>; anchor: number | null };

const none: Selection = { ids: new Set(), anchor: null };
const selection = createStore<Selection>(none);

export const useSelection = (): ReadonlySet<number> => useStore(selection).ids;
export const selectedIds = (): ReadonlySet<number> => selection.get().ids;
export const clearSelection = (): void => selection.set(none);

export function toggleSelected(id: number): void {
  const ids = new Set(selection.get().ids);
  if (!ids.delete(id)) ids.add(id);
  selection.set(ids.size === 0 ? none : { ids, anchor: id });
}

/** Selects everything between the last one that was toggled and this one, in the order of the list. */
export function selectTo(id: number, order: readonly number[]): void {
  const { ids, anchor } = selection.get();
  const from = anchor === null ? -1 : order.indexOf(anchor);
  const to = order.indexOf(id);
  if (from === -1 || to === -1) {
    toggleSelected(id);
    return;
  }
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  selection.set({ ids: new Set([...ids, ...range]), anchor });
}

/** Drops what is no longer there. */
export function keepSelected(isThere: (id: number) => boolean): void {
  const { ids, anchor } = selection.get();
  const left = [...ids].filter(isThere);
  if (left.length === ids.size) return;
  selection.set(left.length === 0 ? none : { ids: new Set(left), anchor });
}
