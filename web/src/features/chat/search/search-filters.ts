import { type SearchFilters, unfiltered } from '#web/features/chat/shared/queries.ts';
import { createStore, useStore } from '#web/lib/store.ts';

type FilterRowState = { isOpen: boolean; filters: SearchFilters };

/** Outside the list, which each search replaces. */
const state = createStore<FilterRowState>({ isOpen: false, filters: unfiltered });

export const useSearchFilters = (): FilterRowState => useStore(state);

export function setFilter(changes: SearchFilters): void {
  const entries = Object.entries({ ...state.get().filters, ...changes }).filter(([, value]) => value !== undefined);
  const filters: SearchFilters = entries.length === 0 ? unfiltered : Object.fromEntries(entries);
  state.set({ ...state.get(), filters });
}

export const clearFilters = (): void => state.set({ isOpen: false, filters: unfiltered });

/** Closing the row removes its filters: none is applied without being shown. */
export function toggleFilterRow(): void {
  if (state.get().isOpen) clearFilters();
  else state.set({ ...state.get(), isOpen: true });
}
