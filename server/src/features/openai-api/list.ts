import type { ApiPage } from '@roster/contracts/openai-api/list';
import { noSuchThing } from '#server/http/api-errors';

/** A page of a list whose items have rising numbers, and of which none is older than one with a lower number. */
export type NumberedPage = {
  limit: number;
  order: 'asc' | 'desc';
  /** Nothing up to this number in the list's order, or null. */
  after: number | null;
  /** Nothing from this number on in the list's order, or null. */
  before: number | null;
};

/**
 * What a program asks for, by our numbers. Read one more than `limit`, so that it is known whether there are more.
 * @throws where an end is none of these things
 */
export function numberedPage(
  { limit, order, after, before }: ApiPage,
  what: string,
  decode: (id: string) => number | undefined,
): NumberedPage {
  const numberOf = (id: string | undefined) => {
    if (id === undefined) return null;
    const number = decode(id);
    if (number === undefined) throw noSuchThing(what, id);
    return number;
  };
  return { limit, order, after: numberOf(after), before: numberOf(before) };
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
): Promise<NumberedPage> {
  const page = numberedPage(query, what, decode);
  for (const end of ['after', 'before'] as const) {
    const [id, number] = [query[end], page[end]];
    if (id !== undefined && number !== null && (await isElsewhere(number))) throw noSuchThing(what, id);
  }
  return page;
}

/** The answer of a list, of the one more than `limit` that were found, in the list's order. */
export function listAnswer<Item extends { id: string }>(found: Item[], limit: number) {
  const data = found.slice(0, limit);
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  };
}

/** Seconds, as the provider's objects have them. */
export const secondsOf = (time: string) => Math.floor(Date.parse(time) / 1000);
