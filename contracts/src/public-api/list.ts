import { z } from 'zod';
import { wholeNumber } from '../endpoint.ts';

/** An id as programs know it: a prefix that says what it is of, and letters. Whose it is and whether it is one is for the server. */
export const ApiId = z.string().min(1).max(100);

/** How the provider's lists are paged: by the ids at their ends. */
export const apiPage = {
  limit: wholeNumber(1, 100).default(20),
  /** By the time of creation. */
  order: z.enum(['asc', 'desc']).default('desc'),
  after: ApiId.optional(),
  before: ApiId.optional(),
};
const ApiPage = z.strictObject(apiPage);
export type ApiPage = z.output<typeof ApiPage>;

/** A page of a list. */
export const apiList = <Item extends z.ZodType>(item: Item) =>
  z.object({
    object: z.literal('list'),
    data: z.array(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  });

/** What is left of something that was deleted. */
export const apiDeleted = <Kind extends string>(kind: Kind) =>
  z.object({ id: z.string(), object: z.literal(kind), deleted: z.literal(true) });
