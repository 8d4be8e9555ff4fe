import {
  type NewToolServer,
  type ToolServer,
  type ToolServerChanges,
  type ToolServerTools,
  toolServerLimit,
} from '@roster/contracts/tool-servers/tool-servers';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { signInRepository } from './oauth/sign-in-repository.ts';
import { descriptionRepository } from './openapi/repository.ts';
import { changedAuth, newAuth } from './shared/auth.ts';
import { checkOffer } from './shared/check-offer.ts';
import type { ServerSecrets } from './shared/headers.ts';
import { type ServerFields, type StoredAuth, type StoredServer, toolServerRepository } from './shared/repository.ts';
import { requestDiscovery } from './shared/request-discovery.ts';
import { findServer, flag, notFound, toServer } from './shared/server.ts';

/** A server as its owner sees it. */
export const shownServer = async (db: Kysely<Database>, userId: number, id: number): Promise<ToolServer> =>
  toServer(await findServer(db, userId, id), userId);

async function create(
  db: Kysely<Database>,
  headers: ServerSecrets,
  actor: Actor,
  draft: z.output<typeof NewToolServer>,
) {
  const { userId, recheckAccess } = actor;
  const { name, kind, url, auth, isOffered } = draft;
  checkOffer(actor, isOffered);
  const sealed = await newAuth(headers, userId, url, auth);
  return db.transaction().execute(async (trx) => {
    // Locks the account, so that the second of two simultaneous calls counts the first.
    await recheckAccess(trx);
    const servers = toolServerRepository(trx);
    if ((await servers.count(userId)) >= toolServerLimit)
      throw new AppError('conflict', `You can have at most ${toolServerLimit} tool servers. Remove one first.`);
    const id = await servers.insert(userId, { name, kind, url, is_offered: flag(isOffered), is_on: 1 }, sealed);
    if (sealed.type !== 'oauth') await requestDiscovery(trx, userId, id);
    return toServer(await findServer(trx, userId, id), userId);
  });
}

async function update(
  db: Kysely<Database>,
  headers: ServerSecrets,
  actor: Actor,
  id: number,
  changes: ToolServerChanges,
) {
  const { userId, recheckAccess } = actor;
  checkOffer(actor, changes.isOffered);
  const before = await findServer(db, userId, id);
  const { name, url, isOffered, isOn } = changes;
  if (url !== undefined || changes.auth) checkOffer(actor, before.is_offered === 1);
  if (before.kind === 'command' && (url !== undefined || changes.auth))
    throw new AppError('conflict', 'A command has no URL or access settings. Add another one instead.');
  // The description says where its tools are called, and changes together with it.
  if (before.kind === 'openapi' && (url !== undefined || changes.auth)) throw notFound();
  const auth = await changedAuth(headers, before, url ?? before.url, changes.auth);
  const fields: Partial<ServerFields> = {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(isOffered !== undefined && { is_offered: flag(isOffered) }),
    ...(isOn !== undefined && { is_on: flag(isOn) }),
  };
  return db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    const stored = await findServer(trx, userId, id);
    // The header was kept, or refused, for the address as read before.
    if (stored.url !== before.url || stored.auth_sealed !== before.auth_sealed)
      throw new AppError('conflict', 'This tool server has changed. Check it and try again.');
    await toolServerRepository(trx).update(userId, id, fields, auth);
    if (isOffered === false) await signInRepository(trx).forgetAll(userId, id, { others: true });
    if ((url !== undefined && url !== before.url) || auth) await resetConnection(trx, userId, id, stored, auth);
    return toServer(await findServer(trx, userId, id), userId);
  });
}

/** Tokens must not go to another address or client than they were issued for. */
async function resetConnection(
  trx: Kysely<Database>,
  userId: number,
  id: number,
  before: StoredServer,
  auth: StoredAuth | undefined,
) {
  await signInRepository(trx).forgetAll(userId, id, { others: false });
  const isSignedInTo = (auth?.type ?? before.auth_type) === 'oauth';
  if (isSignedInTo) await toolServerRepository(trx).awaitSignIn(userId, id);
  else await requestDiscovery(trx, userId, id);
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

/** The tool servers of each user, and those that administrators offer to everyone. */
export function toolServerService(db: Kysely<Database>, headers: ServerSecrets) {
  return {
    list: async (userId: number): Promise<ToolServer[]> =>
      (await toolServerRepository(db).reachable(userId)).map((row) => toServer(row, userId)),
    create: (actor: Actor, draft: z.output<typeof NewToolServer>) => create(db, headers, actor, draft),
    update: (actor: Actor, id: number, changes: ToolServerChanges) => update(db, headers, actor, id, changes),
    remove: ({ userId, recheckAccess }: Actor, id: number) =>
      db.transaction().execute(async (trx) => {
        await recheckAccess(trx);
        if (!(await toolServerRepository(trx).delete(userId, id))) throw notFound();
      }),
    tools: (userId: number, id: number) => tools(db, userId, id),
    refresh: ({ userId, recheckAccess }: Actor, id: number) =>
      db.transaction().execute(async (trx) => {
        await recheckAccess(trx);
        if (!(await requestDiscovery(trx, userId, id))) throw notFound();
        return toServer(await findServer(trx, userId, id), userId);
      }),
  };
}

export type ToolServerService = ReturnType<typeof toolServerService>;
