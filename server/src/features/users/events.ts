import type { SecurityEventKind } from '@roster/contracts/account';
import { securityEvents as allKinds } from '@roster/contracts/account';
import { Id } from '@roster/contracts/endpoint';
import type { AccountEvent } from '@roster/contracts/users';
import { createCursors, toPage } from '#server/http/paging';
import type { SecurityEvents } from '#server/security/events-repository';

/**
 * true: the event is about the account. false: it is about what the owner does inside it, which administrators do not
 * see. Every new kind needs a decision here.
 */
const isAboutAccount: Record<SecurityEventKind, boolean> = {
  account_created: true,
  signed_in: true,
  sign_in_failed: true,
  signed_out: false,
  session_ended: false,
  other_sessions_ended: false,
  reset_requested: true,
  password_set: true,
  password_changed: true,
  email_confirmed: true,
  login_method_connected: true,
  login_method_disconnected: true,
  login_method_refused: true,
  api_key_saved: false,
  api_key_removed: false,
  connection_added: false,
  connection_key_replaced: false,
  connection_key_removed: false,
  connection_headers_changed: false,
  connection_removed: false,
  connection_offered: true,
  connection_offer_changed: true,
  connection_offer_removed: true,
  admin_key_saved: false,
  admin_key_removed: false,
  access_token_created: false,
  access_token_revoked: false,
  access_tokens_revoked: false,
  data_exported: false,
  details_changed: true,
  role_changed: true,
  status_changed: true,
  reset_link_made: true,
  login_link_made: true,
  email_change_requested: true,
  email_changed: true,
  signed_out_everywhere: true,
  second_factor_added: true,
  second_factor_removed: true,
  second_factor_reset: true,
  second_factor_required: true,
  recovery_codes_made: true,
  recovery_code_used: true,
  invitation_sent: true,
  invitation_revoked: true,
  account_closed: true,
};
const kinds = allKinds.filter((kind) => isAboutAccount[kind]);

const cursors = createCursors(Id);

export function accountEventService(events: SecurityEvents) {
  return {
    async list(query: {
      limit: number;
      cursor?: string | undefined;
    }): Promise<{ items: AccountEvent[]; nextCursor: string | null }> {
      const before = query.cursor === undefined ? undefined : cursors.decode(query.cursor);
      const found = await events.listAll(kinds, query.limit + 1, before);
      const { items, nextCursor } = toPage(found, query.limit, ({ id }) => cursors.encode(id));
      return {
        items: items.map((row) => ({
          id: row.id,
          event: row.event,
          by: row.done_by,
          detail: row.detail,
          email: row.email,
          at: row.created_at,
        })),
        nextCursor,
      };
    },
  };
}

export type AccountEventService = ReturnType<typeof accountEventService>;
