import type { SecurityEvent } from '@roster/contracts/account';
import { Id } from '@roster/contracts/endpoint';
import type { Selectable } from 'kysely';
import type { Database } from '../../db/schema.ts';
import { AppError } from '../../errors.ts';
import { deviceLabel } from '../../http/device.ts';
import type { SecurityEvents } from '../../security/events-repository.ts';

export const toSecurityEvent = (row: Selectable<Database['security_events']>): SecurityEvent => ({
  id: row.id,
  event: row.event,
  by: row.done_by,
  // Without an address no browser was involved; a browser may still say nothing of itself.
  device: row.ip_address === null ? null : deviceLabel(row.user_agent),
  ipAddress: row.ip_address,
  detail: row.detail,
  at: row.created_at,
});

const encodeCursor = (id: number) => Buffer.from(`e${id}`).toString('base64url');

function decodeCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [, digits] =
    Buffer.from(cursor, 'base64url')
      .toString()
      .match(/^e(\d{1,10})$/) ?? [];
  const id = Id.safeParse(Number(digits));
  if (!id.success || encodeCursor(id.data) !== cursor)
    throw new AppError('invalid_input', 'The cursor is not one that this list gave.', {
      fields: { cursor: 'The cursor is not one that this list gave.' },
    });
  return id.data;
}

/** What happened to the security of the own account, a page at a time. */
export function securityEventPages(events: SecurityEvents) {
  return async function page(
    userId: number,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ): Promise<{ items: SecurityEvent[]; nextCursor: string | null }> {
    const rows = await events.listOf(userId, limit + 1, decodeCursor(cursor));
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return {
      items: items.map(toSecurityEvent),
      nextCursor: rows.length > limit && last ? encodeCursor(last.id) : null,
    };
  };
}

export type SecurityEventPages = ReturnType<typeof securityEventPages>;
