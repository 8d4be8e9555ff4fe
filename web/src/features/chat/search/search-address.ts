import { useNavigate, useSearch } from '@tanstack/react-router';

/** The search of the list of conversations and its filters, as the address has them. Days are local, as YYYY-MM-DD. */
export type SearchAddress = {
  q?: string | undefined;
  withAssistant?: number | undefined;
  withModel?: string | undefined;
  inProject?: number | undefined;
  from?: string | undefined;
  /** Included. */
  to?: string | undefined;
  files?: boolean | undefined;
  rating?: 'good' | 'bad' | undefined;
};

/** The part of an address that stays while conversations are opened and closed. */
export const keptSearch = (search: SearchAddress): SearchAddress => {
  const { q, withAssistant, withModel, inProject, from, to, files, rating } = search;
  return { q, withAssistant, withModel, inProject, from, to, files, rating };
};

type Location = { pathname: string; search: SearchAddress };

/** True if a navigation searches in the list, and opens nothing. */
export const changesSearch = (change: { fromLocation?: Location | undefined; toLocation: Location }): boolean =>
  change.fromLocation?.pathname === change.toLocation.pathname &&
  JSON.stringify(keptSearch(change.fromLocation.search)) !== JSON.stringify(keptSearch(change.toLocation.search));

/** True while the list shows results of a search or of filters. */
export const useIsSearching = (): boolean =>
  useSearch({
    strict: false,
    select: (search) => Object.values(keptSearch(search)).some((value) => value !== undefined),
  });

/** The text of the search, and a function that changes it. */
export function useSearchText(): readonly [string, (text: string) => void] {
  const q = useSearch({ strict: false, select: (search) => search.q ?? '' });
  const change = useSearchChange();
  return [q, (text) => change({ q: text === '' ? undefined : text }, true)];
}

/** Changes the address in place, and with it the list; the open conversation and its search hit stay. */
export function useSearchChange() {
  const navigate = useNavigate();
  return (changes: SearchAddress, replace = false) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...changes }), state: true, replace });
}
