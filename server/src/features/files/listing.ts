import { files as api, type File, type FilesQuery } from '@roster/contracts/files';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { FileRepository, Place } from './repository.ts';

const Cursor = z.object({
  value: z.union([z.string(), z.number().int().min(0).max(2_147_483_647)]),
  id: z.number().int().min(1).max(2_147_483_647),
});

const encode = (place: Place) => Buffer.from(JSON.stringify(place)).toString('base64url');

function decode(cursor: string, valueType: 'string' | 'number'): Place {
  try {
    const place = Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    if (typeof place.value === valueType && !String(place.value).includes('\0')) return place;
  } catch (cause) {
    throw new AppError('invalid_input', 'The cursor is not one that this list gave.', { cause });
  }
  throw new AppError('invalid_input', 'The cursor is not one that this list gave.');
}

/** A page of somebody's files, and the address of the next one. */
export function fileListing(files: FileRepository) {
  return async (userId: number, query: z.output<typeof FilesQuery>): Promise<{ page: File[]; next?: string }> => {
    const { limit, cursor, q, sort, purpose } = query;
    const after = cursor === undefined ? undefined : decode(cursor, sort === 'name' ? 'string' : 'number');
    const rows = await files.page(userId, { limit: limit + 1, sort, after, purpose, q });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    if (!last || rows.length <= limit) return { page };
    const value = { name: last.key, size: last.size, newest: last.id, oldest: last.id }[sort];
    const next = new URLSearchParams({
      limit: String(limit),
      sort,
      ...(q && { q }),
      ...(purpose && { purpose }),
      cursor: encode({ value, id: last.id }),
    });
    return { page, next: `${api.list.path}?${next}` };
  };
}
