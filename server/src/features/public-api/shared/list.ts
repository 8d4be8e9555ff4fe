import type { ApiPage } from '@roster/contracts/public-api/list';
import { resourceNotFound } from '#server/http/public-api/errors';

/** A page of a list whose items have rising numbers, and of which none is older than one with a lower number. */
export type NumberedPage = {
  limit: number;
  order: 'asc' | 'desc';
  /** Nothing up to this number in the list's order, or null. */
  after: number | null;
  /** Nothing from this number on in the list's order, or null. */
  before: number | null;
};

/** `isBack`: it is read from its end, as those immediately before an id; `listAnswer` turns it into the list's order again. */
type ReadPage = NumberedPage & { isBack: boolean };

/**
 * What a program asks for, by our numbers. Read one more than `limit`, so that it is known whether there are more.
 * @throws where an end is none of these things
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
 * The same of a list of what stands in one place, as the messages of a thread. What has been deleted stands nowhere any more,
 * and keeps its place in the list.
 * @throws where an end is none of these things, or one of another place
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

/** The answer of a list, of the one more than `limit` that were found, in the order in which they were read. */
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

/** Seconds, as the provider's objects have them. */
export const unixSeconds = (time: string) => Math.floor(Date.parse(time) / 1000);
