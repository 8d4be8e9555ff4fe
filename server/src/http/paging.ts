import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { AppError } from '#server/lib/errors';

export const invalidCursor = (cause?: unknown) => {
  const message = 'Invalid cursor.';
  return new AppError('invalid_input', message, { fields: { cursor: message }, cause });
};

/** Opaque cursors: where a list's next page starts. `position` is the schema of the sort key. */
export function createCursors<Position extends z.ZodType>(position: Position) {
  return {
    encode: (place: z.input<Position>): string => Buffer.from(JSON.stringify(place)).toString('base64url'),
    /** @throws AppError if the cursor is not from this list */
    decode(cursor: string): z.output<Position> {
      let read: unknown;
      try {
        read = JSON.parse(Buffer.from(cursor, 'base64url').toString());
      } catch (cause) {
        throw invalidCursor(cause);
      }
      const place = position.safeParse(read);
      if (!place.success) throw invalidCursor(place.error);
      return place.data;
    },
  };
}

/**
 * The first `limit` items, and a cursor after the last of them if there are more. Callers query one more than `limit`.
 */
export function toPage<Item>(found: Item[], limit: number, cursorOf: (last: Item) => string) {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? null : cursorOf(last) };
}

/** Sets a Link header with the next page, for responses that are bare lists. */
export function setNextLink(reply: FastifyReply, path: string, query: object, cursor: string | null) {
  if (cursor === null) return;
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (name !== 'cursor' && value !== undefined && value !== '') params.append(name, String(value));
  params.append('cursor', cursor);
  reply.header('link', `<${path}?${params}>; rel="next"`);
}
