import {
  type Connection,
  type ConnectionChange,
  connectionsPerUser,
  type NewConnection,
} from '@roster/contracts/connections/connections';
import type { Kysely } from 'kysely';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { ConnectionAddresses } from '#server/provider/connections/address-policy';
import { type ConnectionRow, connectionRepository } from '#server/provider/connections/connection-repository';
import type { OpenConnection } from '#server/provider/connections/open';
import { keyHeaderOf, presetOf, presets } from '#server/provider/connections/presets';
import type { Actor } from '#server/security/actor';
import { encryptWithDataKey } from '#server/security/encryption';
import { type RecordedEvent, securityEventRepository, type Visitor } from '#server/security/events-repository';
import { Secret } from '#server/security/secret';
import type { Vault } from '#server/security/vault';
import { checkAbilities } from './check.ts';
import type { OpenClient } from './clients.ts';
import { findLocalServers } from './local.ts';
import { offeredPresets } from './offered-presets.ts';
import type { connectionRefusals } from './refusals.ts';
import { connectionStore, nameKeyOf } from './repository.ts';
import { toConnection } from './to-connection.ts';
import { tryKey } from './try-key.ts';

type Dependencies = {
  db: Kysely<Database>;
  vault: Vault;
  addresses: ConnectionAddresses;
  /** The operator has listed hosts of their own. */
  listsHosts: boolean;
  /** For a key that is not stored yet. */
  open: OpenClient;
  openConnection: OpenConnection;
  refusals: ReturnType<typeof connectionRefusals>;
  /** Called when a connection may be used again: work that waited for it goes on. */
  onUsable: (userId: number) => Promise<void>;
};

/** Minimum length of a key whose last digits are shown. */
const minShownLength = 12;
const last4Of = (key: string) => (key.length >= minShownLength ? key.slice(-4) : '');

const notFound = () => new AppError('not_found', 'Connection not found. It may have been removed.');

const invalid = (field: string, message: string) =>
  new AppError('invalid_input', message, { fields: { [field]: message } });

/** Always the same text for an address, so that a key is bound to one. */
const tidyUrl = (text: string) => text.replace(/\/+$/, '');

function refuseTaken(rows: readonly ConnectionRow[], name: string, own?: number) {
  const key = nameKeyOf(name);
  if (!rows.some((row) => row.name_key === key && row.id !== own)) return;
  const message = `You have a connection named ${name} already.`;
  throw new AppError('conflict', message, { fields: { name: message } });
}

function refuseTooMany(rows: readonly ConnectionRow[]) {
  if (rows.length >= connectionsPerUser)
    throw new AppError('conflict', `You can have ${connectionsPerUser} connections. Remove one first.`);
}

const flagOf = (isSet: boolean): 0 | 1 => (isSet ? 1 : 0);

/** The ids with one of them at another position. */
function moved(rows: readonly ConnectionRow[], id: number, position: number): number[] {
  const others = rows.map((row) => row.id).filter((other) => other !== id);
  return others.toSpliced(Math.min(position, others.length), 0, id);
}

/** The address of a new connection. @throws AppError if it may not be used */
async function addressOf(addresses: ConnectionAddresses, { preset, baseUrl }: NewConnection): Promise<string> {
  const { baseUrl: usual, example } = presetOf(preset);
  const address = baseUrl ?? usual;
  if (address === null) throw invalid('baseUrl', `Enter the address, such as ${example}`);
  const refusal = await addresses.refusalOf(preset, address);
  if (refusal !== null) throw invalid('baseUrl', refusal);
  return tidyUrl(address);
}

/** Keys are tried before they are stored, and sealed with their address. */
function connectionKeys({ db, vault, addresses, open }: Dependencies) {
  /** The key with its address in one text, encrypted: in another row it never reaches another address. */
  const sealed = (userId: number, baseUrl: string, key: string) =>
    encryptWithDataKey({ db, vault }, userId, new Secret(JSON.stringify({ baseUrl, key })), 'connection-key');

  /** @throws key_rejected */
  async function tried(target: Pick<ConnectionRow, 'preset' | 'name' | 'base_url'>, key: string) {
    const { preset, name, base_url: baseUrl } = target;
    const client = await open(
      { id: 0, name, preset, baseUrl, keyHeader: keyHeaderOf(preset), api: 'auto', firstTokenSeconds: null },
      key,
    );
    try {
      const result = await tryKey(client, presetOf(preset));
      if ('rejected' in result)
        throw new AppError('key_rejected', result.rejected, { fields: { key: result.rejected } });
      return result.notice;
    } finally {
      await client.end();
    }
  }

  /** The changed columns of a key. @throws key_rejected, without changing anything */
  async function keyColumns(userId: number, row: ConnectionRow, key: string | null) {
    if (key === null) return { key_sealed: null, key_last4: null };
    const refusal = await addresses.refusalOf(row.preset, row.base_url);
    if (refusal !== null) throw invalid('key', refusal);
    const notice = await tried(row, key);
    return { key_sealed: await sealed(userId, row.base_url, key), key_last4: last4Of(key), notice };
  }

  return { sealed, tried, keyColumns };
}

/** Long: the three changes of a connection, each read alone. */
function connectionWrites(dependencies: Dependencies) {
  const { db, addresses } = dependencies;
  const { sealed, tried, keyColumns } = connectionKeys(dependencies);

  async function create({ userId, stillMay }: Actor, draft: NewConnection, visitor: Visitor): Promise<Connection> {
    const { preset, name, key, api, firstTokenSeconds } = draft;
    const before = await connectionRepository(db).list(userId);
    refuseTooMany(before);
    refuseTaken(before, name);
    const baseUrl = await addressOf(addresses, draft);
    if (key === undefined && presetOf(preset).key === 'needed') throw invalid('key', 'Enter a key');
    const notice = await tried({ preset, name, base_url: baseUrl }, key ?? '');
    const keySealed = key === undefined ? null : await sealed(userId, baseUrl, key);
    return db.transaction().execute(async (trx) => {
      await stillMay(trx);
      await lockUserRow(trx, userId);
      const rows = await connectionRepository(trx).list(userId);
      refuseTooMany(rows);
      refuseTaken(rows, name);
      const id = await connectionStore(trx).insert({
        user_id: userId,
        preset,
        name,
        name_key: nameKeyOf(name),
        base_url: baseUrl,
        key_sealed: keySealed,
        key_last4: key === undefined ? null : last4Of(key),
        api,
        first_token_seconds: firstTokenSeconds,
        position: (rows.at(-1)?.position ?? -1) + 1,
        notice,
        created_at: new Date().toISOString(),
      });
      await securityEventRepository(trx).record({
        ...{ userId, event: 'connection_added', by: 'self', visitor, detail: name },
      });
      return found(trx, userId, id);
    });
  }

  async function change(actor: Actor, id: number, changes: ConnectionChange, visitor: Visitor): Promise<Connection> {
    const { userId, stillMay } = actor;
    const { name, key, api, firstTokenSeconds, isPaused, position } = changes;
    const row = await connectionRepository(db).find(userId, id);
    if (!row) throw notFound();
    const ofKey = key === undefined ? {} : await keyColumns(userId, row, key);
    const columns = {
      ...ofKey,
      ...(name !== undefined && { name, name_key: nameKeyOf(name) }),
      ...(api !== undefined && { api }),
      ...(firstTokenSeconds !== undefined && { first_token_seconds: firstTokenSeconds }),
      ...(isPaused !== undefined && { is_paused: flagOf(isPaused) }),
    } as const;
    return db.transaction().execute(async (trx) => {
      await stillMay(trx);
      await lockUserRow(trx, userId);
      const rows = await connectionRepository(trx).list(userId);
      if (!rows.some((one) => one.id === id)) throw notFound();
      if (name !== undefined) refuseTaken(rows, name, id);
      const store = connectionStore(trx);
      if (Object.keys(columns).length > 0) await store.update(userId, id, columns);
      if (position !== undefined) await store.reorder(userId, moved(rows, id, position));
      const event = keyEvent(key, row);
      if (event)
        await securityEventRepository(trx).record({ userId, event, by: 'self', visitor, detail: name ?? row.name });
      return found(trx, userId, id);
    });
  }

  async function remove({ userId, stillMay }: Actor, id: number, visitor: Visitor) {
    await db.transaction().execute(async (trx) => {
      await stillMay(trx);
      const row = await connectionRepository(trx).find(userId, id);
      if (!row || !(await connectionStore(trx).delete(userId, id))) throw notFound();
      const detail = row.name;
      await securityEventRepository(trx).record({ userId, event: 'connection_removed', by: 'self', visitor, detail });
    });
  }

  return { create, change, remove };
}

function keyEvent(key: string | null | undefined, before: ConnectionRow): RecordedEvent['event'] | undefined {
  if (key === undefined || (key === null && before.key_sealed === null)) return undefined;
  return key === null ? 'connection_key_removed' : 'connection_key_replaced';
}

async function found(db: Kysely<Database>, userId: number, id: number): Promise<Connection> {
  const row = await connectionRepository(db).find(userId, id);
  if (!row) throw notFound();
  return toConnection(row);
}

/** People's connections to providers beside the installation's own. */
export function connectionService(dependencies: Dependencies) {
  const { db, addresses, listsHosts, open, openConnection, refusals } = dependencies;
  const rows = connectionRepository(db);
  const store = connectionStore(db);
  const { create, change, remove } = connectionWrites(dependencies);
  const { policy } = addresses;

  async function check(userId: number, id: number, model: string | undefined): Promise<Connection> {
    const row = await rows.find(userId, id);
    if (!row) throw notFound();
    const refusal = await addresses.refusalOf(row.preset, row.base_url);
    if (refusal !== null) throw new AppError('not_allowed', refusal);
    const key = await openConnection(userId, id);
    const { checks, notice } = await checkAbilities(key, presetOf(row.preset), model);
    const at = new Date().toISOString();
    await store.update(userId, id, { checks: JSON.stringify(checks), checked_at: at, notice });
    return found(db, userId, id);
  }

  return {
    async list(userId: number) {
      return { policy, connections: (await rows.list(userId)).map(toConnection) };
    },
    presets: () => ({ policy, presets: offeredPresets(addresses, listsHosts) }),
    local: () => findLocalServers(presets, { addresses, open }),
    async hasKey(userId: number, id: number): Promise<boolean> {
      return ((await rows.find(userId, id))?.key_sealed ?? null) !== null;
    },
    create,
    async change(actor: Actor, id: number, changes: ConnectionChange, visitor: Visitor) {
      const changed = await change(actor, id, changes, visitor);
      if (changes.isPaused === false || changes.key) await dependencies.onUsable(actor.userId);
      return changed;
    },
    remove,
    check,
    async uses(userId: number, id: number) {
      await found(db, userId, id);
      return store.uses(userId, id);
    },
    async refusals(userId: number, id: number) {
      await found(db, userId, id);
      return { refusals: await refusals.list(id) };
    },
    async askAgain(userId: number, id: number) {
      await found(db, userId, id);
      await refusals.askAgain(id);
    },
  };
}

export type ConnectionService = ReturnType<typeof connectionService>;
