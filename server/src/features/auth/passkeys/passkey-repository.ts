import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

export type NewPasskey = {
  name: string;
  credentialId: string;
  /** COSE key, base64url. */
  publicKey: string;
  counter: number;
  transports: string[];
  deviceType: 'singleDevice' | 'multiDevice';
  backedUp: boolean;
};

export type StoredPasskey = {
  id: number;
  userId: number;
  name: string;
  credentialId: string;
  publicKey: string;
  transports: string[];
};

export type Use = { counter: number; deviceType: NewPasskey['deviceType']; backedUp: boolean };

const listed = ['id', 'name', 'created_at', 'last_used_at', 'backed_up'] as const;
type PasskeyRow = {
  id: number;
  name: string;
  created_at: string;
  last_used_at: string | null;
  backed_up: number | null;
};

const toPasskey = (row: PasskeyRow) => ({
  id: row.id,
  name: row.name,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  synced: row.backed_up === 1,
});

/** Passkeys: the second factors of that kind. */
export function passkeyRepository(db: Kysely<Database>) {
  const ofKind = () => db.selectFrom('second_factors').where('kind', '=', 'passkey');
  return {
    async list(userId: number) {
      const rows = await ofKind().select(listed).where('user_id', '=', userId).orderBy('id').execute();
      return rows.map(toPasskey);
    },
    /** For the browser: which passkeys it may use, or which it has already. */
    async descriptors(userId: number): Promise<{ credentialId: string; transports: string[] }[]> {
      const rows = await ofKind()
        .select(['credential_id', 'transports'])
        .where('user_id', '=', userId)
        .orderBy('id')
        .execute();
      return rows.flatMap(({ credential_id: credentialId, transports }) =>
        credentialId === null ? [] : [{ credentialId, transports: toList(transports) }],
      );
    },
    async byCredentialId(credentialId: string): Promise<StoredPasskey | undefined> {
      const row = await ofKind().selectAll().where('credential_id', '=', credentialId).executeTakeFirst();
      if (!row?.public_key) return undefined;
      const { id, user_id: userId, name, public_key: publicKey, transports } = row;
      return { id, userId, name, credentialId, publicKey, transports: toList(transports) };
    },
    /** undefined: an account has this credential already. */
    async insert(userId: number, passkey: NewPasskey) {
      const row = await db
        .insertInto('second_factors')
        .values({
          user_id: userId,
          kind: 'passkey',
          name: passkey.name,
          credential_id: passkey.credentialId,
          public_key: passkey.publicKey,
          counter: passkey.counter,
          transports: JSON.stringify(passkey.transports),
          device_type: passkey.deviceType,
          backed_up: passkey.backedUp ? 1 : 0,
          created_at: new Date().toISOString(),
          last_used_at: null,
        })
        .onConflict((conflict) => conflict.column('credential_id').doNothing())
        .returning(listed)
        .executeTakeFirst();
      return row && toPasskey(row);
    },
    /**
     * Records a use. A counter never goes back and never stands still, except at 0, where synced passkeys keep it.
     * false: it did, or the passkey is gone.
     */
    async use(id: number, { counter, deviceType, backedUp }: Use): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('second_factors')
        .set({
          counter,
          device_type: deviceType,
          backed_up: backedUp ? 1 : 0,
          last_used_at: new Date().toISOString(),
        })
        .where('id', '=', id)
        .where((eb) => (counter === 0 ? eb('counter', '=', 0) : eb('counter', '<', counter)))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** undefined: the account has no such passkey. */
    async rename(userId: number, id: number, name: string) {
      const row = await db
        .updateTable('second_factors')
        .set({ name })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('kind', '=', 'passkey')
        .returning(listed)
        .executeTakeFirst();
      return row && toPasskey(row);
    },
    /** Returns its name. undefined: the account has no such passkey. */
    async remove(userId: number, id: number): Promise<string | undefined> {
      const row = await db
        .deleteFrom('second_factors')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('kind', '=', 'passkey')
        .returning('name')
        .executeTakeFirst();
      return row?.name;
    },
  };
}

function toList(transports: string | null): string[] {
  const parsed: unknown = transports === null ? [] : JSON.parse(transports);
  return Array.isArray(parsed) ? parsed.filter((transport) => typeof transport === 'string') : [];
}
