import { Id } from '@roster/contracts/endpoint';
import type { File, FilesQuery } from '@roster/contracts/files/files';
import { z } from 'zod';
import { createCursors, invalidCursor, toPage } from '#server/http/paging';
import type { FileRepository, PageCursor } from './repository.ts';

const cursors = createCursors(
  z.object({ value: z.union([z.string().regex(/^[^\0]*$/), z.number().int().min(0).max(2_147_483_647)]), id: Id }),
);

function placeOf(cursor: string | undefined, sort: z.output<typeof FilesQuery>['sort']): PageCursor | undefined {
  if (cursor === undefined) return undefined;
  const place = cursors.decode(cursor);
  if (typeof place.value !== (sort === 'name' ? 'string' : 'number')) throw invalidCursor();
  return place;
}

/** A page of a user's files. */
export function fileListing(files: FileRepository) {
  return async (
    userId: number,
    query: z.output<typeof FilesQuery>,
  ): Promise<{ items: File[]; nextCursor: string | null }> => {
    const { limit, cursor, q, sort, purpose, madeByAssistant } = query;
    const after = placeOf(cursor, sort);
    const rows = await files.page(userId, { limit: limit + 1, sort, after, purpose, madeByAssistant, q });
    return toPage(rows, limit, ({ key, size, id }) =>
      cursors.encode({ value: { name: key, size, newest: id, oldest: id }[sort], id }),
    );
  };
}
