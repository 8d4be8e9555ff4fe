import type { SecurityEvent } from '@roster/contracts/account';
import { Id } from '@roster/contracts/endpoint';
import type { Selectable } from 'kysely';
import type { Database } from '#server/db/schema';
import { createCursors, toPage } from '#server/http/paging';
import { deviceLabel } from '#server/http/user-agent';
import type { SecurityEvents } from '#server/security/events-repository';

export const toSecurityEvent = (row: Selectable<Database['security_events']>): SecurityEvent => ({
  id: row.id,
  event: row.event,
  by: row.done_by,
  // Without an IP address no browser was involved; a browser may still send no user agent.
  device: row.ip_address === null ? null : deviceLabel(row.user_agent),
  ipAddress: row.ip_address,
  detail: row.detail,
  at: row.created_at,
});

const cursors = createCursors(Id);

/** The user’s own security events, in pages. */
export function securityEventPages(events: SecurityEvents) {
  return async function page(
    userId: number,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ): Promise<{ items: SecurityEvent[]; nextCursor: string | null }> {
    const before = cursor === undefined ? undefined : cursors.decode(cursor);
    const rows = await events.listOf(userId, limit + 1, before);
    const { items, nextCursor } = toPage(rows, limit, ({ id }) => cursors.encode(id));
    return { items: items.map(toSecurityEvent), nextCursor };
  };
}

export type SecurityEventPages = ReturnType<typeof securityEventPages>;
