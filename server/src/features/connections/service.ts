import {
  type Connection,
  type ConnectionChange,
  type ConnectionPreset,
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
import { presetOf, presets } from '#server/provider/connections/presets';
import { monthOf } from '#server/provider/connections/spend-repository';
import type { Actor } from '#server/security/actor';
import { type RecordedEvent, securityEventRepository, type Visitor } from '#server/security/events-repository';
import { checkAbilities } from './check.ts';
import { invalid, notFound } from './errors.ts';
import { addressOf, connectionKeys, type KeyDependencies, replacesSecret } from './keys.ts';
import { findLocalServers } from './local.ts';
import type { ConnectionRefusals } from './refusals.ts';
import { changedColumns, connectionStore, nameKeyOf } from './repository.ts';
import { toConnection, toOffered } from './to-connection.ts';

const listedOnly =
  'Only addresses that Roster’s operator has listed can be entered (PROVIDER_HOSTS_ALLOWED, or CONNECTIONS=open).';

/** The presets as a person chooses from them. `listsHosts`: the operator has listed addresses of their own. */
function offeredPresets(
  { policy, problemOf }: Pick<ConnectionAddresses, 'policy' | 'problemOf'>,
  listsHosts: boolean,
): ConnectionPreset[] {
  return presets.map(({ hosts: _, ...preset }) => {
    const address = preset.baseUrl ?? preset.example ?? '';
    const problem = problemOf(preset.id, address);
    if (problem === null || policy === 'off') return { ...preset, allowed: problem === null, notice: problem };
    // Another address than the usual one may be allowed.
    if (preset.id === 'other') return { ...preset, allowed: true, notice: listedOnly };
    return { ...preset, allowed: listsHosts, notice: problem };
  });
}

type Dependencies = KeyDependencies & {
  /** The operator has listed hosts of their own. */
  listsHosts: boolean;
  openConnection: OpenConnection;
  refusals: ConnectionRefusals;
  /** Called when a connection may be used again: work that waited for it goes on. */
  onUsable: (userId: number) => Promise<void>;
};

function refuseTaken(rows: readonly ConnectionRow[], name: string, own?: number) {
  const key = nameKeyOf(name);
  if (!rows.some((row) => row.name_key === key && row.id !== own)) return;
  const message = `You already have a connection named ${name}.`;
  throw new AppError('conflict', message, { fields: { name: message } });
}

function refuseTooMany(rows: readonly ConnectionRow[]) {
  if (rows.length >= connectionsPerUser)
    throw new AppError('conflict', `You can have ${connectionsPerUser} connections. Remove one first.`);
}

/** The ids with one of them at another position. */
function moved(rows: readonly ConnectionRow[], id: number, position: number): number[] {
  const others = rows.map((row) => row.id).filter((other) => other !== id);
  return others.toSpliced(Math.min(position, others.length), 0, id);
}

function connectionWrites(dependencies: Dependencies) {
  const { db, addresses } = dependencies;
  const { newSecrets, secretColumns } = connectionKeys(dependencies);

  async function create({ userId, recheckAccess }: Actor, draft: NewConnection, visitor: Visitor): Promise<Connection> {
    const { preset, name, key, api, firstTokenSeconds } = draft;
    const before = await connectionRepository(db).listOwn(userId);
    refuseTooMany(before);
    refuseTaken(before, name);
    const baseUrl = await addressOf(addresses, draft);
    if (key === undefined && presetOf(preset).key === 'needed') throw invalid('key', 'Enter a key');
    const secrets = await newSecrets(userId, { preset, name, base_url: baseUrl }, draft);
    return db.transaction().execute(async (trx) => {
      await recheckAccess(trx);
      await lockUserRow(trx, userId);
      const rows = await connectionRepository(trx).listOwn(userId);
      refuseTooMany(rows);
      refuseTaken(rows, name);
      const id = await connectionStore(trx).insert({
        user_id: userId,
        preset,
        name,
        name_key: nameKeyOf(name),
        base_url: baseUrl,
        ...secrets,
        api,
        first_token_seconds: firstTokenSeconds,
        position: (rows.at(-1)?.position ?? -1) + 1,
        created_at: new Date().toISOString(),
      });
      await securityEventRepository(trx).record({
        ...{ userId, event: 'connection_added', by: 'self', visitor, detail: name },
      });
      return found(trx, userId, id);
    });
  }

  async function change(actor: Actor, id: number, changes: ConnectionChange, visitor: Visitor): Promise<Connection> {
    const { userId, recheckAccess } = actor;
    const { name, position } = changes;
    const row = await connectionRepository(db).findOwn(userId, id);
    if (!row) throw notFound();
    const columns = { ...(await secretColumns(row, changes)), ...changedColumns(changes) };
    return db.transaction().execute(async (trx) => {
      await recheckAccess(trx);
      await lockUserRow(trx, userId);
      const rows = await connectionRepository(trx).listOwn(userId);
      if (!rows.some((one) => one.id === id)) throw notFound();
      if (name !== undefined) refuseTaken(rows, name, id);
      const store = connectionStore(trx);
      if (Object.keys(columns).length > 0) await store.update(userId, id, columns);
      if (position !== undefined) await store.reorder(userId, moved(rows, id, position));
      for (const event of secretEvents(changes, row))
        await securityEventRepository(trx).record({ userId, event, by: 'self', visitor, detail: name ?? row.name });
      return found(trx, userId, id);
    });
  }

  async function remove({ userId, recheckAccess }: Actor, id: number, visitor: Visitor) {
    await db.transaction().execute(async (trx) => {
      await recheckAccess(trx);
      const row = await connectionRepository(trx).findOwn(userId, id);
      if (!row || !(await connectionStore(trx).delete(userId, id))) throw notFound();
      const detail = row.name;
      await securityEventRepository(trx).record({ userId, event: 'connection_removed', by: 'self', visitor, detail });
    });
  }

  return { create, change, remove };
}

function secretEvents({ key, headers }: ConnectionChange, before: ConnectionRow): RecordedEvent['event'][] {
  const found: RecordedEvent['event'][] = [];
  if (key === null && before.key_sealed !== null) found.push('connection_key_removed');
  if (typeof key === 'string') found.push('connection_key_replaced');
  if (headers && !(headers.length === 0 && before.headers_sealed === null)) found.push('connection_headers_changed');
  return found;
}

async function found(db: Kysely<Database>, userId: number, id: number): Promise<Connection> {
  const row = await connectionRepository(db).findOwn(userId, id);
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
    const row = await rows.findOwn(userId, id);
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
      const month = monthOf(new Date().toISOString());
      const [own, offered] = await Promise.all([rows.listOwn(userId), rows.listOffered(userId, month)]);
      return { policy, connections: own.map(toConnection), offered: offered.map(toOffered) };
    },
    presets: () => ({ policy, presets: offeredPresets(addresses, listsHosts) }),
    local: () => findLocalServers(presets, { addresses, open }),
    /** True if the change replaces something secret that is stored. */
    async replacesSecret(userId: number, id: number, changes: ConnectionChange): Promise<boolean> {
      return replacesSecret(await rows.findOwn(userId, id), changes);
    },
    create,
    async change(actor: Actor, id: number, changes: ConnectionChange, visitor: Visitor) {
      const changed = await change(actor, id, changes, visitor);
      if (changes.isPaused === false || changes.key || changes.headers) await dependencies.onUsable(actor.userId);
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
