import type { ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import { type StoredServer, toolServerRepository } from './repository.ts';

export const notFound = () => new AppError('not_found', 'Tool server not found.');
export const flag = (is: boolean) => (is ? (1 as const) : (0 as const));

/** The path may contain a secret, so only the owner sees it. */
export function toServer(row: StoredServer, userId: number): ToolServer {
  const isOwn = row.user_id === userId;
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    url: isOwn || row.kind === 'command' ? row.url : new URL(row.url).origin,
    openApi: isOwn && row.kind === 'openapi' ? { descriptionUrl: row.description_url, baseUrl: row.base_url } : null,
    isOwn,
    isOffered: row.is_offered === 1,
    isOn: row.is_on === 1,
    auth: isOwn
      ? { type: row.auth_type, name: row.auth_name, last4: row.auth_last4 }
      : { type: row.auth_type === 'oauth' ? row.auth_type : 'none', name: null, last4: null },
    signIn: row.auth_type === 'oauth' ? { state: row.sign_in ?? 'needed', notice: row.sign_in_notice } : null,
    // Users who sign in themselves do not wait for the owner.
    state: row.state === 'sign_in' && !isOwn ? 'ready' : row.state,
    notice: isOwn ? row.notice : null,
    lookedAt: row.looked_at,
    tools: Number(row.tools),
    createdAt: row.created_at,
  };
}

export async function findServer(db: Kysely<Database>, userId: number, id: number): Promise<StoredServer> {
  const server = await toolServerRepository(db).own(userId, id);
  if (!server) throw notFound();
  return server;
}
