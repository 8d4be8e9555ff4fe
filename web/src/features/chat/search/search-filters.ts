import { useSearch } from '@tanstack/react-router';
import type { ThreadFilter } from '#web/features/chat/shared/queries.ts';
import { createStore, useStore } from '#web/lib/store.ts';
import { keptSearch, type SearchAddress, useSearchChange } from './search-address.ts';

export type SearchFilters = Omit<SearchAddress, 'q'>;

/** Outside the list, which each search replaces. */
const isShown = createStore(false);

/** Hides the row unless filters are set: none is applied without being shown. */
export const hideFilterRow = (): void => isShown.set(false);

const filtersIn = (search: SearchAddress): SearchFilters => {
  const { q: _text, ...filters } = keptSearch(search);
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
};

/** The filters that the address has, and functions to change them. */
export function useSearchFilters() {
  const filters = useSearch({ strict: false, select: filtersIn, structuralSharing: true });
  const shown = useStore(isShown);
  const change = useSearchChange();
  const isOpen = shown || Object.keys(filters).length > 0;
  const clear = () => {
    hideFilterRow();
    if (Object.keys(filters).length > 0) change(noFilters);
  };
  return {
    filters,
    isOpen,
    set(changes: SearchFilters) {
      // Stays open once the last filter is removed.
      isShown.set(true);
      change(changes);
    },
    clear,
    toggle: () => (isOpen ? clear() : isShown.set(true)),
  };
}

const noFilters = {
  withAssistant: undefined,
  withModel: undefined,
  inProject: undefined,
  from: undefined,
  to: undefined,
  files: undefined,
  rating: undefined,
} as const;

/** The first moment of a day, or of a later one. */
const momentOf = (day: string, later: number) => {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + later);
  return date.toISOString();
};

const callFilters = ({ withAssistant, withModel, inProject, from, to, files, rating }: SearchFilters) => ({
  ...(withAssistant !== undefined && { assistant: withAssistant }),
  ...(withModel !== undefined && { model: withModel }),
  ...(inProject !== undefined && { project: inProject }),
  ...(from !== undefined && { from: momentOf(from, 0) }),
  ...(to !== undefined && { to: momentOf(to, 1) }),
  ...(files !== undefined && { files: files ? ('true' as const) : ('false' as const) }),
  ...(rating !== undefined && { rating }),
});

/** A list with the filters that are set. */
export const withFilters = (list: ThreadFilter, filters: SearchFilters): ThreadFilter =>
  Object.keys(filters).length === 0 ? list : { ...list, only: callFilters(filters) };
