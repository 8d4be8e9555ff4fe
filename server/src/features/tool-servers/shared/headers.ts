import type { Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { encryptWithDataKey } from '#server/security/encryption';
import { Secret } from '#server/security/secret';
import { type Vault, VaultError } from '#server/security/vault';
import { ToolServerError } from './failure.ts';
import type { StoredAuth } from './repository.ts';

const purpose = 'tool-server-header';
/** Nothing is shown of a shorter value. */
const shownFrom = 12;

/** Encrypted together with the origin it was given for: next to another address it is useless. */
const Sealed = z.strictObject({ origin: z.string(), value: z.string() });

const unreadable = (cause?: unknown) =>
  new ToolServerError(
    'The secret of this server can no longer be read, or was entered for another address. Its owner must enter the value again.',
    {
      mayHaveRun: false,
      cause,
    },
  );

type Keeper = { db: Kysely<Database>; vault: Vault };
type StoredServer = Pick<
  Selectable<Database['tool_servers']>,
  'user_id' | 'url' | 'auth_type' | 'auth_name' | 'auth_sealed'
>;
/** Types of authentication with a secret that is sent to the address of the server. */
type WithSecret = Exclude<StoredAuth, { type: 'none' }>['type'];

/**
 * Secrets that users give their servers, for a header, a query or an OAuth client: encrypted when stored, decrypted
 * only for a call.
 */
export function createServerSecrets({ db, vault }: Keeper) {
  function opened({ user_id: owner, url, auth_sealed }: StoredServer, wrapped: string | null): string {
    if (auth_sealed === null || wrapped === null) throw unreadable();
    try {
      const { origin, value } = Sealed.parse(
        JSON.parse(vault.openProviderKey(owner, wrapped, auth_sealed, purpose).reveal()),
      );
      if (origin !== new URL(url).origin) throw unreadable();
      return value;
    } catch (error) {
      if (error instanceof VaultError) throw unreadable(error);
      throw error;
    }
  }

  return {
    async seal<Type extends WithSecret>(
      userId: number,
      url: string,
      type: Type,
      name: string,
      value: string,
    ): Promise<{ type: Type; name: string; sealed: string; last4: string }> {
      const plain = JSON.stringify({ origin: new URL(url).origin, value });
      return {
        type,
        name,
        sealed: await encryptWithDataKey({ db, vault }, userId, new Secret(plain), purpose),
        last4: value.length >= shownFrom ? value.slice(-4) : '',
      };
    },
    /** @throws ToolServerError */
    open(server: StoredServer, wrapped: string | null): Record<string, string> {
      if (server.auth_type === 'none') return {};
      if (server.auth_type === 'oauth' || server.auth_name === null) throw unreadable();
      return { [server.auth_name]: opened(server, wrapped) };
    },
    /** Client secret for the authorization server, if the server's owner has entered one. @throws ToolServerError */
    clientSecret: (server: StoredServer, wrapped: string | null): string | null =>
      server.auth_sealed === null ? null : opened(server, wrapped),
  };
}

export type ServerSecrets = ReturnType<typeof createServerSecrets>;
