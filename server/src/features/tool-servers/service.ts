import {
  type NewToolServer,
  serversAtMost,
  type ToolServer,
  type ToolServerAuth,
  type ToolServerChanges,
  type ToolServerTools,
} from '@roster/contracts/tool-servers';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/errors';
import type { Actor } from '#server/http/actor';
import type { ServerHeaders } from './headers.ts';
import { askToLook } from './look.ts';
import { descriptionRepository } from './openapi/repository.ts';
import { type ServerFields, type StoredAuth, type StoredServer, toolServerRepository } from './repository.ts';

type Dependencies = { db: Kysely<Database>; headers: ServerHeaders };

export const notFound = () => new AppError('not_found', 'Tool server not found.');
export const flag = (is: boolean) => (is ? (1 as const) : (0 as const));

export const refusedField = (field: string, message: string) =>
  new AppError('invalid_input', message, { fields: { [field]: message } });

/** The path may hold a secret: only the owner sees it. */
export function toServer(row: StoredServer, userId: number): ToolServer {
  const isOwn = row.user_id === userId;
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    url: isOwn ? row.url : new URL(row.url).origin,
    openApi: isOwn && row.kind === 'openapi' ? { descriptionUrl: row.description_url, baseUrl: row.base_url } : null,
    isOwn,
    isOffered: row.is_offered === 1,
    isOn: row.is_on === 1,
    auth: isOwn
      ? { type: row.auth_type, name: row.auth_name, last4: row.auth_last4 }
      : { type: 'none', name: null, last4: null },
    state: row.state,
    notice: isOwn ? row.notice : null,
    lookedAt: row.looked_at,
    tools: Number(row.tools),
    createdAt: row.created_at,
  };
}

export function checkOffer(actor: Actor, isOffered: boolean | undefined) {
  if (isOffered && actor.role !== 'Admin')
    throw new AppError('not_allowed', 'Only administrators can offer a tool server to everybody.');
}

export async function found(db: Kysely<Database>, userId: number, id: number): Promise<StoredServer> {
  const server = await toolServerRepository(db).own(userId, id);
  if (!server) throw notFound();
  return server;
}

async function create({ db, headers }: Dependencies, actor: Actor, draft: z.output<typeof NewToolServer>) {
  const { userId, stillMay } = actor;
  const { name, kind, url, auth, isOffered } = draft;
  checkOffer(actor, isOffered);
  if (auth.type === 'header' && auth.value === undefined) throw refusedField('auth.value', 'The value is required');
  const sealed: StoredAuth =
    auth.type === 'none' ? auth : await headers.seal(userId, url, auth.type, auth.name, auth.value ?? '');
  return db.transaction().execute(async (trx) => {
    // Holds the account, so that of two at once the second one counts the first.
    await stillMay(trx);
    const servers = toolServerRepository(trx);
    if ((await servers.count(userId)) >= serversAtMost)
      throw new AppError('conflict', `A person can have ${serversAtMost} tool servers. Remove one first.`);
    const id = await servers.insert(userId, { name, kind, url, is_offered: flag(isOffered), is_on: 1 }, sealed);
    await askToLook(trx, userId, id);
    return toServer(await found(trx, userId, id), userId);
  });
}

/** What is stored of the header after a change; undefined: what is there already. */
async function changedAuth(
  headers: ServerHeaders,
  before: StoredServer,
  url: string,
  auth: ToolServerAuth | undefined,
): Promise<StoredAuth | undefined> {
  const wanted =
    auth ?? (before.auth_type === 'header' ? { type: 'header' as const, name: before.auth_name ?? '' } : null);
  if (!wanted) return undefined;
  if (wanted.type === 'none') return wanted;
  if ('value' in wanted && wanted.value !== undefined)
    return headers.seal(before.user_id, url, wanted.type, wanted.name, wanted.value);
  if (before.auth_type !== 'header') throw refusedField('auth.value', 'The value is required');
  if (new URL(url).origin !== new URL(before.url).origin)
    throw refusedField('auth.value', 'Enter the value again: it was given for another address');
  const { auth_sealed: sealed, auth_last4: last4 } = before;
  return auth && { type: 'header', name: wanted.name, sealed: sealed ?? '', last4: last4 ?? '' };
}

async function update({ db, headers }: Dependencies, actor: Actor, id: number, changes: ToolServerChanges) {
  const { userId, stillMay } = actor;
  checkOffer(actor, changes.isOffered);
  const before = await found(db, userId, id);
  const { name, url, isOffered, isOn } = changes;
  // Where its tools are called is said by its description, and changed with it.
  if (before.kind === 'openapi' && (url !== undefined || changes.auth)) throw notFound();
  const auth = await changedAuth(headers, before, url ?? before.url, changes.auth);
  const fields: Partial<ServerFields> = {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(isOffered !== undefined && { is_offered: flag(isOffered) }),
    ...(isOn !== undefined && { is_on: flag(isOn) }),
  };
  return db.transaction().execute(async (trx) => {
    await stillMay(trx);
    const stored = await found(trx, userId, id);
    // The header was kept, or refused, for the address that was there.
    if (stored.url !== before.url || stored.auth_sealed !== before.auth_sealed)
      throw new AppError('conflict', 'This tool server was changed meanwhile. Look at it again.');
    await toolServerRepository(trx).update(userId, id, fields, auth);
    if ((url !== undefined && url !== before.url) || auth) await askToLook(trx, userId, id);
    return toServer(await found(trx, userId, id), userId);
  });
}

async function tools(db: Kysely<Database>, userId: number, id: number): Promise<ToolServerTools> {
  const servers = toolServerRepository(db);
  const server = await servers.find(userId, id);
  if (!server) throw notFound();
  const { named, count } = await servers.usedBy(userId, id);
  return {
    tools: (await servers.tools(id)).map((tool) => ({
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: JSON.parse(tool.input_schema),
      isReadOnly: tool.is_read_only === 1,
      digest: tool.digest,
    })),
    ...(await descriptionRepository(db).leftOut(id)),
    usedBy: named,
    usedByCount: count,
    otherPeople: server.user_id === userId ? await servers.otherPeople(userId, id) : 0,
  };
}

/** The tool servers of each person, and those that administrators offer to everybody. */
export function toolServerService(dependencies: Dependencies) {
  const { db } = dependencies;
  return {
    list: async (userId: number): Promise<ToolServer[]> =>
      (await toolServerRepository(db).reachable(userId)).map((row) => toServer(row, userId)),
    create: (actor: Actor, draft: z.output<typeof NewToolServer>) => create(dependencies, actor, draft),
    update: (actor: Actor, id: number, changes: ToolServerChanges) => update(dependencies, actor, id, changes),
    remove: ({ userId, stillMay }: Actor, id: number) =>
      db.transaction().execute(async (trx) => {
        await stillMay(trx);
        if (!(await toolServerRepository(trx).delete(userId, id))) throw notFound();
      }),
    tools: (userId: number, id: number) => tools(db, userId, id),
    refresh: ({ userId, stillMay }: Actor, id: number) =>
      db.transaction().execute(async (trx) => {
        await stillMay(trx);
        if (!(await askToLook(trx, userId, id))) throw notFound();
        return toServer(await found(trx, userId, id), userId);
      }),
  };
}

export type ToolServerService = ReturnType<typeof toolServerService>;
