import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { AppError } from '#server/lib/errors';

export const notOurCursor = (cause?: unknown) => {
  const message = 'The cursor is not one that this list gave.';
  return new AppError('invalid_input', message, { fields: { cursor: message }, cause });
};

/**
 * Cursors of a list: where its next page begins, in a form that callers hand back and do not look into. `position` is
 * what a place in the list is known by.
 */
export function cursorsOf<Position extends z.ZodType>(position: Position) {
  return {
    encode: (place: z.input<Position>): string => Buffer.from(JSON.stringify(place)).toString('base64url'),
    /** @throws AppError where this list did not give it */
    decode(cursor: string): z.output<Position> {
      let read: unknown;
      try {
        read = JSON.parse(Buffer.from(cursor, 'base64url').toString());
      } catch (cause) {
        throw notOurCursor(cause);
      }
      const place = position.safeParse(read);
      if (!place.success) throw notOurCursor(place.error);
      return place.data;
    },
  };
}

/**
 * The first `limit` of what was found, and where the next page begins: after the last of them, where more was found. Who
 * asks for a page asks for one more than `limit`.
 */
export function pageOf<Item>(found: Item[], limit: number, cursorOf: (last: Item) => string) {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? null : cursorOf(last) };
}

/** Tells in a header where the next page of a list is, for calls whose answer is the list itself. */
export function linkNext(reply: FastifyReply, path: string, query: object, cursor: string | null) {
  if (cursor === null) return;
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (name !== 'cursor' && value !== undefined && value !== '') asked.append(name, String(value));
  asked.append('cursor', cursor);
  reply.header('link', `<${path}?${asked}>; rel="next"`);
}
