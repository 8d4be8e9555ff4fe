import type { ApiPage } from '@roster/contracts/public-api/list';
import { resourceNotFound } from '#server/http/public-api/errors';

/** Page of a list that is ordered by numeric id, which follows age. */
export type NumberedPage = {
  limit: number;
  order: 'asc' | 'desc';
  /** Excludes items up to this id in the list's order, or null. */
  after: number | null;
  /** Excludes items from this id on in the list's order, or null. */
  before: number | null;
};

/** `isBack`: read from the end, to get the items just before an id; `listAnswer` restores the list's order. */
type ReadPage = NumberedPage & { isBack: boolean };

/**
 * Converts a client's page to numeric ids. Read one item more than `limit` to find out if there are more.
 * @throws if a cursor is unknown
 */
export function numberedPage(
  { limit, order, after, before }: ApiPage,
  what: string,
  decode: (id: string) => number | undefined,
): ReadPage {
  const numberOf = (id: string | undefined) => {
    if (id === undefined) return null;
    const number = decode(id);
    if (number === undefined) throw resourceNotFound(what, id);
    return number;
  };
  const [first, last] = [numberOf(after), numberOf(before)];
  if (last === null) return { limit, order, after: first, before: null, isBack: false };
  return { limit, order: order === 'asc' ? 'desc' : 'asc', after: last, before: first, isBack: true };
}

/**
 * Like `numberedPage`, for a list below a parent, such as the messages of a thread. A deleted item has no parent any
 * more, but keeps its place in the list.
 * @throws if a cursor is unknown or has another parent
 */
export async function numberedPageWithin(
  query: ApiPage,
  what: string,
  decode: (id: string) => number | undefined,
  isElsewhere: (number: number) => Promise<boolean>,
): Promise<ReadPage> {
  const page = numberedPage(query, what, decode);
  for (const end of ['after', 'before'] as const) {
    const id = query[end];
    const number = id === undefined ? null : (decode(id) ?? null);
    if (id !== undefined && number !== null && (await isElsewhere(number))) throw resourceNotFound(what, id);
  }
  return page;
}

/** Builds a list response from up to `limit` + 1 items, in the order in which they were read. */
export function listAnswer<Item extends { id: string }>(found: Item[], limit: number, isBack = false) {
  const read = found.slice(0, limit);
  const data = isBack ? read.reverse() : read;
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  };
}

/** Unix time in seconds, as in the provider's objects. */
export const unixSeconds = (time: string) => Math.floor(Date.parse(time) / 1000);
