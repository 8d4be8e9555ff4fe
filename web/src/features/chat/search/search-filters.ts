import type { ThreadFilter } from '#web/features/chat/shared/queries.ts';
import { createStore, useStore } from '#web/lib/store.ts';

/** Days as YYYY-MM-DD, in local time. */
export type SearchFilters = {
  assistant?: number | undefined;
  model?: string | undefined;
  from?: string | undefined;
  /** Included. */
  to?: string | undefined;
  files?: 'true' | 'false' | undefined;
  rating?: 'good' | 'bad' | undefined;
  project?: number | undefined;
};
const unfiltered: SearchFilters = {};
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

/** The first moment of a day, or of a later one. */
const momentOf = (day: string, later: number) => {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + later);
  return date.toISOString();
};

const callFilters = ({ from, to, ...others }: SearchFilters) => ({
  ...others,
  ...(from !== undefined && { from: momentOf(from, 0) }),
  ...(to !== undefined && { to: momentOf(to, 1) }),
});

/** A list with the filters that are set. */
export const withFilters = (list: ThreadFilter, filters: SearchFilters): ThreadFilter =>
  filters === unfiltered ? list : { ...list, only: callFilters(filters) };
