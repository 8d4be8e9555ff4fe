import type { Role } from '@roster/contracts/auth';
import type { Invitation } from '@roster/contracts/invitations';
import type { ExpressionBuilder, Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

/** An invitation whose link works. */
export type OpenInvitation = {
  id: number;
  email: string;
  role: Role;
  isMailed: boolean;
  invitedBy: string;
  expiresAt: string;
};

type NewInvitation = { email: string; role: Role; days: number; invitedBy: number; tokenHash: string | null };

const dayMs = 24 * 60 * 60_000;
const expiryAfter = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const now = () => new Date().toISOString();

type Joined = Database & { inviter: Database['users'] };
/** Neither accepted nor revoked; it may have expired. */
const isPending = (eb: ExpressionBuilder<Database, 'invitations'>) =>
  eb.and([eb('invitations.accepted_at', 'is', null), eb('invitations.revoked_at', 'is', null)]);
const senderMay = (eb: ExpressionBuilder<Joined, 'inviter'>) =>
  eb.and([eb('inviter.role', '=', 'Admin'), eb('inviter.status', '=', 'Active')]);

type Row = {
  id: number;
  email: string;
  role: Role;
  days: number;
  created_at: string;
  expires_at: string;
  name: string | null;
  address: string | null;
  inviter_role: Role | null;
  inviter_status: Database['users']['status'] | null;
};

function toInvitation(row: Row): Invitation {
  const senderIsGone = row.inviter_role !== 'Admin' || row.inviter_status !== 'Active';
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    state: row.expires_at <= now() ? 'expired' : senderIsGone ? 'sender_gone' : 'open',
    invitedBy: row.name ?? row.address,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

export function invitationRepository(db: Kysely<Database>) {
  const pending = () =>
    db
      .selectFrom('invitations')
      .leftJoin('users as inviter', 'inviter.id', 'invitations.invited_by')
      .select(['invitations.id', 'invitations.email', 'invitations.role', 'invitations.days'])
      .select(['invitations.created_at', 'invitations.expires_at'])
      .select(['inviter.name as name', 'inviter.email as address'])
      .select(['inviter.role as inviter_role', 'inviter.status as inviter_status'])
      .where('invitations.accepted_at', 'is', null)
      .where('invitations.revoked_at', 'is', null);

  return {
    /** Newest first; `before` is the last id of the previous page. */
    async page(limit: number, before: number | undefined): Promise<Invitation[]> {
      const rows = pending().orderBy('invitations.id', 'desc').limit(limit);
      const found = await (before === undefined ? rows : rows.where('invitations.id', '<', before)).execute();
      return found.map(toInvitation);
    },
    async countPending(): Promise<number> {
      const { count } = await db
        .selectFrom('invitations')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where(isPending)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    /** undefined: unknown, accepted or revoked. */
    async byId(id: number): Promise<(Invitation & { days: number }) | undefined> {
      const row = await pending().where('invitations.id', '=', id).executeTakeFirst();
      return row && { ...toInvitation(row), days: row.days };
    },
    async byEmail(email: string): Promise<Invitation | undefined> {
      const row = await pending().where('invitations.email', '=', email).executeTakeFirst();
      return row && toInvitation(row);
    },
    /** @throws a unique violation if the address has a pending invitation */
    async insert({ email, role, days, invitedBy, tokenHash }: NewInvitation): Promise<number> {
      const { id } = await db
        .insertInto('invitations')
        .values({
          email,
          role,
          token_hash: tokenHash,
          is_mailed: 0,
          version: 1,
          days,
          invited_by: invitedBy,
          created_at: now(),
          expires_at: expiryAfter(days),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    /** Ends the earlier link. Returns the version that the mail must name; undefined: it was accepted or revoked. */
    async sendAgain(
      id: number,
      { days, invitedBy, tokenHash }: Pick<NewInvitation, 'days' | 'invitedBy' | 'tokenHash'>,
    ) {
      const row = await db
        .updateTable('invitations')
        .set((eb) => ({
          token_hash: tokenHash,
          is_mailed: 0,
          version: eb('version', '+', 1),
          invited_by: invitedBy,
          expires_at: expiryAfter(days),
        }))
        .where('id', '=', id)
        .where(isPending)
        .returning('version')
        .executeTakeFirst();
      return row?.version;
    },
    /**
     * Stores the link that is about to be mailed. undefined: the invitation has ended, or was sent again meanwhile.
     * `isMailed`: it is delivered to its address, not to a folder.
     */
    storeMailed: (id: number, version: number, tokenHash: string, isMailed: boolean) =>
      db
        .updateTable('invitations')
        .set({ token_hash: tokenHash, is_mailed: isMailed ? 1 : 0 })
        .where('id', '=', id)
        .where('version', '=', version)
        .where('expires_at', '>', now())
        .where(isPending)
        .returning(['email', 'role', 'expires_at as expiresAt', 'invited_by as invitedBy'])
        .executeTakeFirst(),
    /** false: there is no such pending invitation. */
    async revoke(id: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('invitations')
        .set({ revoked_at: now(), token_hash: null })
        .where('id', '=', id)
        .where(isPending)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** undefined: the link does not work, for whatever reason. */
    async byToken(tokenHash: string): Promise<OpenInvitation | undefined> {
      const row = await db
        .selectFrom('invitations')
        .innerJoin('users as inviter', 'inviter.id', 'invitations.invited_by')
        .select(['invitations.id', 'invitations.email', 'invitations.role', 'is_mailed', 'expires_at'])
        .select(['inviter.name as name', 'inviter.email as address'])
        .where('token_hash', '=', tokenHash)
        .where('expires_at', '>', now())
        .where('invitations.accepted_at', 'is', null)
        .where('invitations.revoked_at', 'is', null)
        .where(senderMay)
        .executeTakeFirst();
      if (!row) return undefined;
      const { id, email, role, is_mailed: isMailed, expires_at: expiresAt, name, address } = row;
      return { id, email, role, isMailed: isMailed === 1, invitedBy: name ?? address, expiresAt };
    },
    /** Uses the link up. false: a concurrent request was faster. */
    async accept(id: number, userId: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('invitations')
        .set({ accepted_at: now(), user_id: userId, token_hash: null })
        .where('id', '=', id)
        .where(isPending)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async forgetOlderThan(time: string) {
      await db.deleteFrom('invitations').where('expires_at', '<', time).execute();
    },
  };
}
