import { isDeepStrictEqual } from 'node:util';
import type {
  NewOpenApiServer,
  OpenApiAuth,
  OpenApiServerChanges,
  Operations,
} from '@roster/contracts/tool-servers/openapi-servers';
import { toolServerLimit } from '@roster/contracts/tool-servers/tool-servers';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { refusedField } from '#server/features/tool-servers/shared/auth';
import { checkOffer } from '#server/features/tool-servers/shared/check-offer';
import type { ServerSecrets } from '#server/features/tool-servers/shared/headers';
import {
  type StoredAuth,
  type StoredServer,
  toolServerRepository,
} from '#server/features/tool-servers/shared/repository';
import { requestDiscovery } from '#server/features/tool-servers/shared/request-discovery';
import { findServer, flag, notFound, toServer } from '#server/features/tool-servers/shared/server';
import { sanitizeText } from '#server/features/tool-servers/shared/tool-snapshot';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { type DiscoveredOperations, secretPlaceOf, toDiscovery } from './discover.ts';
import { UnreadableDocumentError } from './document.ts';
import type { ReadTask, ReadWorker } from './read-worker-client.ts';
import { descriptionRepository } from './repository.ts';

type Dependencies = { db: Kysely<Database>; headers: ServerSecrets; thread: ReadWorker };

/** Pasted text is read before it is stored, so that its author learns what is wrong with it. */
const readNow = (thread: ReadWorker, order: ReadTask): Promise<DiscoveredOperations> =>
  thread.read(order).then(
    (read) => toDiscovery(read, order.chosen ?? null),
    (error: unknown) => {
      if (error instanceof UnreadableDocumentError)
        throw refusedField(error.about === 'baseUrl' ? 'baseUrl' : 'description.text', error.message);
      throw error;
    },
  );

/** In the transaction of the change: a text takes effect at once, a description at an address is fetched afterwards. */
async function noteOrAsk(trx: Kysely<Database>, userId: number, id: number, read: DiscoveredOperations | null) {
  if (!read) {
    await requestDiscovery(trx, userId, id);
    return;
  }
  const servers = toolServerRepository(trx);
  await servers.wait(userId, id);
  const server = await findServer(trx, userId, id);
  await servers.looked(server, read);
  await descriptionRepository(trx).noteLeftOut(server, read);
}

async function create({ db, headers, thread }: Dependencies, actor: Actor, draft: NewOpenApiServer) {
  const { userId, recheckAccess } = actor;
  const { name, description, baseUrl, auth, isOffered } = draft;
  checkOffer(actor, isOffered);
  if (auth.type !== 'none' && auth.value === undefined) throw refusedField('auth.value', 'The value is required');
  const descriptionUrl = description.type === 'address' ? description.url : null;
  const text = description.type === 'pasted' ? sanitizeText(description.text) : null;
  const secret = secretPlaceOf({ name: null, ...auth });
  const read = text === null ? null : await readNow(thread, { text, descriptionUrl, baseUrl, secret, chosen: null });
  // Until it is fetched: a secret only goes to an address that its owner has named.
  const url = read?.url ?? baseUrl ?? descriptionUrl ?? '';
  const sealed: StoredAuth =
    auth.type === 'none' ? auth : await headers.seal(userId, url, auth.type, auth.name, auth.value ?? '');
  return db.transaction().execute(async (trx) => {
    // Locks the account, so that the second of two simultaneous calls counts the first.
    await recheckAccess(trx);
    const servers = toolServerRepository(trx);
    if ((await servers.count(userId)) >= toolServerLimit)
      throw new AppError('conflict', `You can have at most ${toolServerLimit} tool servers. Remove one first.`);
    const fields = { name, kind: 'openapi' as const, url, description_url: descriptionUrl, base_url: baseUrl };
    const id = await servers.insert(userId, { ...fields, is_offered: flag(isOffered), is_on: 1 }, sealed);
    await descriptionRepository(trx).insert(userId, id, text);
    await noteOrAsk(trx, userId, id, read);
    return toServer(await findServer(trx, userId, id), userId);
  });
}

/** Secret to store after a change; undefined keeps what is stored. */
async function changedAuth(
  headers: ServerSecrets,
  before: StoredServer,
  url: string,
  auth: OpenApiAuth | undefined,
): Promise<StoredAuth | undefined> {
  if (auth?.type === 'none') return auth;
  if (auth?.value !== undefined) return headers.seal(before.user_id, url, auth.type, auth.name, auth.value);
  const { auth_type, auth_sealed: sealed, auth_last4: last4 } = before;
  if (auth_type === 'none') {
    if (auth) throw refusedField('auth.value', 'The value is required');
    return undefined;
  }
  if (new URL(url).origin !== new URL(before.url).origin)
    throw refusedField('auth.value', 'Enter the value again: it was given for another address');
  return auth && { type: auth.type, name: auth.name, sealed: sealed ?? '', last4: last4 ?? '' };
}

type Description = { text: string | null; descriptionUrl: string | null; baseUrl: string | null };

async function changedDescription(
  db: Kysely<Database>,
  before: StoredServer,
  { description, baseUrl = before.base_url }: OpenApiServerChanges,
): Promise<Description> {
  if (description?.type === 'address') return { text: null, descriptionUrl: description.url, baseUrl };
  if (description?.type === 'pasted') return { text: sanitizeText(description.text), descriptionUrl: null, baseUrl };
  const text = await descriptionRepository(db).text(before.user_id, before.id);
  return { text, descriptionUrl: before.description_url, baseUrl };
}

/** Effect of a change on the description and the secret; null if it concerns neither. */
async function reread({ db, headers, thread }: Dependencies, before: StoredServer, changes: OpenApiServerChanges) {
  const { auth } = changes;
  if (!changes.description && changes.baseUrl === undefined && !auth) return null;
  const { text, descriptionUrl, baseUrl } = await changedDescription(db, before, changes);
  const secret = secretPlaceOf(auth ? { name: null, ...auth } : { type: before.auth_type, name: before.auth_name });
  const chosen = await descriptionRepository(db).chosen(before.user_id, before.id);
  const read = text === null ? null : await readNow(thread, { text, descriptionUrl, baseUrl, secret, chosen });
  const ofDescription = descriptionUrl === before.description_url ? before.url : descriptionUrl;
  const url = read?.url ?? baseUrl ?? ofDescription ?? before.url;
  const fields = { url, description_url: descriptionUrl, base_url: baseUrl };
  return { text, read, fields, chosen, sealed: await changedAuth(headers, before, url, auth) };
}

async function update(dependencies: Dependencies, actor: Actor, id: number, changes: OpenApiServerChanges) {
  const { db } = dependencies;
  const { userId, recheckAccess } = actor;
  checkOffer(actor, changes.isOffered);
  const before = await ownDescribed(db, userId, id);
  const { name, isOffered } = changes;
  const anew = await reread(dependencies, before, changes);
  if (anew) checkOffer(actor, before.is_offered === 1);
  const fields = {
    ...(name !== undefined && { name }),
    ...(isOffered !== undefined && { is_offered: flag(isOffered) }),
    ...anew?.fields,
  };
  return db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    const stored = await findServer(trx, userId, id);
    // The secret was kept, or refused, for the address as read before, and the text was read with the other fields.
    if (
      anew &&
      ((['url', 'auth_sealed', 'description_url', 'base_url'] as const).some((key) => stored[key] !== before[key]) ||
        !isDeepStrictEqual(await descriptionRepository(trx).chosen(userId, id), anew.chosen))
    )
      throw new AppError('conflict', 'This tool server has changed. Check it and try again.');
    await toolServerRepository(trx).update(userId, id, fields, anew?.sealed);
    if (anew) {
      await descriptionRepository(trx).changeText(userId, id, anew.text);
      await noteOrAsk(trx, userId, id, anew.read);
    }
    return toServer(await findServer(trx, userId, id), userId);
  });
}

/** A chosen operation must be in the description, or have been chosen before: it may come back. */
async function choose(db: Kysely<Database>, { userId, recheckAccess }: Actor, id: number, wanted: string[] | null) {
  return db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await ownDescribed(trx, userId, id);
    const descriptions = descriptionRepository(trx);
    const { operations, chosen } = await descriptions.operations(userId, id);
    const names = new Set([...(operations ?? []).map(({ operation }) => operation), ...(chosen ?? [])]);
    const unknown = wanted?.find((operation) => !names.has(operation));
    if (unknown !== undefined)
      throw refusedField('operations', `The description has no operation ${unknown}. Look at the list again.`);
    await descriptions.choose(userId, id, wanted);
    await requestDiscovery(trx, userId, id);
    return toServer(await findServer(trx, userId, id), userId);
  });
}

async function ownDescribed(db: Kysely<Database>, userId: number, id: number): Promise<StoredServer> {
  const server = await findServer(db, userId, id);
  if (server.kind !== 'openapi') throw notFound();
  return server;
}

/** Tool servers with an OpenAPI description. */
export function openApiServerService(dependencies: Dependencies) {
  const { db } = dependencies;
  return {
    create: (actor: Actor, draft: NewOpenApiServer) => create(dependencies, actor, draft),
    update: (actor: Actor, id: number, changes: OpenApiServerChanges) => update(dependencies, actor, id, changes),
    async description(userId: number, id: number) {
      await ownDescribed(db, userId, id);
      return { text: (await descriptionRepository(db).text(userId, id)) ?? '' };
    },
    async operations(userId: number, id: number): Promise<Operations> {
      await ownDescribed(db, userId, id);
      return descriptionRepository(db).operations(userId, id);
    },
    choose: (actor: Actor, id: number, operations: string[] | null) => choose(db, actor, id, operations),
  };
}

export type OpenApiServerService = ReturnType<typeof openApiServerService>;
