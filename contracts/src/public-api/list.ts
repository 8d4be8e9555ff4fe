import { z } from 'zod';
import { positiveInteger } from '../endpoint.ts';

/** An id as clients know it: a prefix for its kind, and letters. The server checks that it exists and whose it is. */
export const ApiId = z.string().min(1).max(100);

/** Paging of the provider’s lists, by the ids at their ends. */
export const apiPage = {
  limit: positiveInteger(100).default(20),
  /** By time of creation. */
  order: z.enum(['asc', 'desc']).default('desc'),
  after: ApiId.optional(),
  before: ApiId.optional(),
};
const ApiPage = z.strictObject(apiPage);
export type ApiPage = z.output<typeof ApiPage>;

export const apiList = <Item extends z.ZodType>(item: Item) =>
  z.object({
    object: z.literal('list'),
    data: z.array(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  });

export const apiDeleted = <Kind extends string>(kind: Kind) =>
  z.object({ id: z.string(), object: z.literal(kind), deleted: z.literal(true) });
