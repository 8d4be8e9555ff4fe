import { chat, type Message } from '@roster/contracts/chat';
import { countMatchesInMessage, findPattern } from '@roster/contracts/text/find-text';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { MessageWindow } from '#web/features/chat/shared/message-window.ts';
import { loadAround } from '#web/features/chat/shared/thread-cache.ts';
import type { OpenThread } from '#web/features/chat/shared/thread-state.ts';
import { call, errorText } from '#web/lib/api-client.ts';
import { renderedRows, reveal } from './highlights.ts';
import { countHits, hitNumber, type MessageHits, nearestHit, nextHit, type Place, sortHits } from './hits.ts';
import { type RenderedHits, useHighlights } from './use-highlights.ts';

/** Milliseconds after which a rendered message counts as complete. */
const drawnAfter = 500;

/** Hits counted in rendered messages. Counts from the source are only estimates. */
type Seen = ReadonlyMap<number, { message: Message | undefined; count: number }>;
type Direction = 1 | -1;

const isWhole = ({ olderCursor, newerCursor }: MessageWindow) => olderCursor === null && newerCursor === null;

/** Server-side search, for messages that are not loaded. */
function useSearch(threadId: number, window: MessageWindow, query: string) {
  // The branch's end stays the same while only its middle is loaded.
  const [through, setThrough] = useState(window.items.at(-1)?.id);
  const last = window.items.at(-1)?.id;
  if (window.newerCursor === null && last !== through) setThrough(last);
  return useQuery({
    queryKey: ['threads', threadId, 'found', query, through],
    queryFn: ({ signal }) =>
      call(
        chat.findInThread,
        { params: { id: threadId }, query: { q: query, ...(through !== undefined && { through }) } },
        signal,
      ),
    enabled: query !== '' && !isWhole(window),
    staleTime: 60_000,
  });
}

/** All hits, counted in the rendered message if available, otherwise in the source. */
function useHits(window: MessageWindow, pattern: RegExp | null, found: readonly MessageHits[] | undefined, seen: Seen) {
  return useMemo(() => {
    const counts = new Map<number, number>();
    if (!pattern) return [];
    for (const { messageId, count } of found ?? []) counts.set(messageId, count);
    const loaded = new Map(window.items.map((message) => [message.id, message]));
    for (const [id, message] of loaded) counts.set(id, countMatchesInMessage(message, pattern));
    for (const [id, { message, count }] of seen)
      if (!loaded.has(id) || loaded.get(id) === message) counts.set(id, count);
    return sortHits([...counts].map(([messageId, count]) => ({ messageId, count })));
  }, [window, pattern, found, seen]);
}

const firstInView = (area: Element | null | undefined): number => {
  const top = area?.getBoundingClientRect().top ?? 0;
  for (const [id, row] of area ? renderedRows(area) : []) if (row.getBoundingClientRect().bottom > top) return id;
  return 0;
};

/** Scrolls to a hit's message, loading and rendering it if necessary. */
function useScrollToHit(
  { client, threadId, list }: OpenThread,
  window: MessageWindow,
  place: Place | null,
  onFailure: (failure: string) => void,
) {
  const goTo = useEffectEvent(({ messageId }: Place) => {
    const area = list.current?.area();
    if (window.items.every(({ id }) => id !== messageId))
      loadAround(client, threadId, messageId).catch((error: unknown) => onFailure(errorText(error)));
    else if (area && renderedRows(area).has(messageId)) list.current?.stay();
    else list.current?.show(messageId);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: also when its message has been loaded
  useEffect(() => {
    if (place) goTo(place);
  }, [place, window]);
}

/** Search within a conversation: hits, the current one and navigation. */
export function useFind(open: OpenThread, window: MessageWindow, query: string) {
  const { threadId, list } = open;
  const pattern = useMemo(() => findPattern(query), [query]);
  const [seen, setSeen] = useState<Seen>(new Map());
  const [here, setHere] = useState<Place | null>(null);
  /** Set while `here` is not yet in view. */
  const [going, setGoing] = useState<Direction | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const search = useSearch(threadId, window, query);
  const places = useHits(window, pattern, search.data?.items, seen);
  const from = useRef(0);

  const go = (place: Place | null, direction: Direction) => {
    setProblem(null);
    setHere(place);
    setGoing(place && direction);
  };

  // A new query starts from the message in view.
  const [asked, setAsked] = useState(query);
  if (asked !== query) {
    setAsked(query);
    setSeen(new Map());
    go(null, 1);
  }
  const begin = useEffectEvent(() => {
    from.current = from.current || firstInView(list.current?.area());
    const place = nearestHit(places, from.current);
    if (here === null && place) go(place, 1);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever places are found, or others are
  useEffect(() => begin(), [places, query]);
  useEffect(() => {
    if (here) from.current = here.messageId;
  }, [here]);

  const isGoing = going !== null;
  useScrollToHit(open, window, isGoing ? here : null, (failure) => {
    setProblem(failure);
    setGoing(null);
  });

  useHighlights({
    list,
    pattern,
    only: null,
    here,
    onDrawn(drawn, area) {
      setSeen((before) => withDrawn(before, drawn, window));
      const range = here && isGoing ? drawn.get(here.messageId)?.[here.nth] : undefined;
      if (!range) return;
      reveal(range, area);
      setGoing(null);
    },
  });

  // A rendered message may have fewer hits than its source, for example in hidden URLs: move on.
  const showNext = useEffectEvent(() => {
    const count = here && seen.get(here.messageId)?.count;
    if (!here || !going || count === null || count === undefined || here.nth < count) return;
    if (count === 0 || going === 1) go(nextHit(places, here, going), going);
    else go({ ...here, nth: count - 1 }, going);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the rendered rows restarts the timer
  useEffect(() => {
    if (!isGoing) return;
    const timer = setTimeout(() => showNext(), drawnAfter);
    return () => clearTimeout(timer);
  }, [here, isGoing, seen]);

  return {
    total: countHits(places),
    number: hitNumber(places, here),
    isSearching: search.isFetching,
    problem: problem ?? (search.isError ? 'Earlier messages could not be searched.' : null),
    retry: () => (search.isError ? void search.refetch() : go(here, 1)),
    /** True if older messages were not searched. */
    isCut: search.data?.isWhole === false && !isWhole(window),
    move: (direction: Direction) =>
      go(here ? nextHit(places, here, direction) : nearestHit(places, from.current), direction),
  };
}

function withDrawn(before: Seen, drawn: RenderedHits, window: MessageWindow): Seen {
  const changed = [...drawn].flatMap(([id, { length: count }]) => {
    const message = window.items.find((each) => each.id === id);
    const known = before.get(id);
    return known?.count === count && known.message === message ? [] : ([[id, { message, count }]] as const);
  });
  return changed.length === 0 ? before : new Map([...before, ...changed]);
}
