import type { LoginProvider } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { SignedInUser } from '#server/security/actor';
import { storedIssuer } from './issuer-repository.ts';
import type { FlowSecrets, LoginIdentity } from './login-provider.ts';

export type Flow = FlowSecrets & {
  returnPath: string;
  /** The session that started the flow and whose account gets the identity; null when signing in. */
  connectsTo: Pick<SignedInUser, 'userId' | 'sessionId'> | null;
  /** The token hash of the invitation that it accepts; null: none. */
  invitationHash: string | null;
};

export function flowRepository(db: Kysely<Database>) {
  return {
    async insert(idHash: string, provider: LoginProvider, flow: Flow) {
      await db
        .insertInto('sign_in_flows')
        .values({
          id_hash: idHash,
          provider,
          state: flow.state,
          nonce: flow.nonce,
          code_verifier: flow.codeVerifier,
          return_path: flow.returnPath,
          user_id: flow.connectsTo?.userId ?? null,
          session_id: flow.connectsTo?.sessionId ?? null,
          invitation_hash: flow.invitationHash,
          created_at: new Date().toISOString(),
        })
        .execute();
    },
    /** Only one of several concurrent requests gets the flow. */
    async take(idHash: string, notBefore: string): Promise<{ provider: LoginProvider; flow: Flow } | undefined> {
      const row = await db.deleteFrom('sign_in_flows').where('id_hash', '=', idHash).returningAll().executeTakeFirst();
      if (!row || row.created_at <= notBefore) return undefined;
      const { user_id: userId, session_id: sessionId } = row;
      return {
        provider: row.provider,
        flow: {
          state: row.state,
          nonce: row.nonce,
          codeVerifier: row.code_verifier,
          returnPath: row.return_path,
          connectsTo: userId !== null && sessionId !== null ? { userId, sessionId } : null,
          invitationHash: row.invitation_hash,
        },
      };
    },
    async deleteUntil(time: string) {
      await db.deleteFrom('sign_in_flows').where('created_at', '<=', time).execute();
    },
  };
}

export type FlowRepository = ReturnType<typeof flowRepository>;

export function connectedAccountRepository(db: Kysely<Database>) {
  return {
    /** The account that an identity signs in to. */
    ownerOf: ({ provider, issuer, subject }: Pick<LoginIdentity, 'provider' | 'issuer' | 'subject'>) =>
      db
        .selectFrom('identities')
        .innerJoin('users', 'users.id', 'identities.user_id')
        .select(['users.id as userId', 'users.status as status'])
        .where('identities.provider', '=', provider)
        .where('identities.subject', '=', subject)
        .where(storedIssuer, '=', issuer)
        .executeTakeFirst(),
    listOf: (userId: number) =>
      db
        .selectFrom('identities')
        .select(['provider', 'subject', 'email', storedIssuer.as('issuer')])
        .where('user_id', '=', userId)
        .orderBy('id')
        .execute(),
    /** false: a concurrent request has inserted this identity, or another one for this account. */
    async insert(userId: number, { provider, issuer, subject }: LoginIdentity, email: string): Promise<boolean> {
      const row = await db
        .insertInto('identities')
        .values({ user_id: userId, provider, issuer, subject, email, created_at: new Date().toISOString() })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
    /** The address at the provider may change; the subject never does. */
    async setEmail(userId: number, { provider, issuer, subject }: LoginIdentity, email: string) {
      await db
        .updateTable('identities')
        .set({ email })
        .where('user_id', '=', userId)
        .where('provider', '=', provider)
        .where('subject', '=', subject)
        .where(storedIssuer, '=', issuer)
        .where('email', '!=', email)
        .execute();
    },
    /**
     * Deletes identities of other issuers too, so that a disconnected account does not return with an older
     * configuration.
     */
    async delete(userId: number, provider: LoginProvider) {
      await db.deleteFrom('identities').where('user_id', '=', userId).where('provider', '=', provider).execute();
    },
    /**
     * Serializes changes to this account’s login methods until the transaction ends. SQLite has a single writer anyway.
     */
    async lockAccount(userId: number) {
      await db
        .updateTable('users')
        .set((eb) => ({ status: eb.ref('status') }))
        .where('id', '=', userId)
        .execute();
    },
    /** Confirms the account’s address if it is the one that the login provider has verified. */
    async confirmAddress(userId: number, email: string) {
      await db
        .updateTable('users')
        .set({ email_verified_at: new Date().toISOString() })
        .where('id', '=', userId)
        .where('email', '=', email)
        .execute();
    },
  };
}

export type ConnectedAccountRepository = ReturnType<typeof connectedAccountRepository>;
