import type { Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { sealWithDataKey } from '#server/security/sealing';
import { Secret } from '#server/security/secret';
import { CannotOpen, type Vault } from '#server/security/vault';
import { ServerFailure } from './mcp/failure.ts';
import type { SealedAuth } from './repository.ts';

const purpose = 'tool-server-header';
/** Of so short a value nothing is shown. */
const shownFrom = 12;

/** Sealed with the origin that it was given for: put beside another address it is of no use. */
const Sealed = z.strictObject({ origin: z.string(), value: z.string() });

const unreadable = (cause?: unknown) =>
  new ServerFailure(
    'The secret of this server cannot be read any more, or was given for another address. Its owner has to enter the value again.',
    {
      mayHaveRun: false,
      cause,
    },
  );

type Keeper = { db: Kysely<Database>; vault: Vault };
type Stored = Pick<Selectable<Database['tool_servers']>, 'user_id' | 'url' | 'auth_type' | 'auth_name' | 'auth_sealed'>;

/** The secrets that people give their servers, for a header or a query: sealed when they are stored, opened again only for a call. */
export function serverHeaders({ db, vault }: Keeper) {
  return {
    async seal(
      userId: number,
      url: string,
      type: SealedAuth['type'],
      name: string,
      value: string,
    ): Promise<SealedAuth> {
      const plain = JSON.stringify({ origin: new URL(url).origin, value });
      return {
        type,
        name,
        sealed: await sealWithDataKey({ db, vault }, userId, new Secret(plain), purpose),
        last4: value.length >= shownFrom ? value.slice(-4) : '',
      };
    },
    /** @throws ServerFailure */
    open(server: Stored, wrapped: string | null): Record<string, string> {
      const { user_id: owner, url, auth_type, auth_name, auth_sealed } = server;
      if (auth_type === 'none') return {};
      if (auth_name === null || auth_sealed === null || wrapped === null) throw unreadable();
      try {
        const { origin, value } = Sealed.parse(
          JSON.parse(vault.openProviderKey(owner, wrapped, auth_sealed, purpose).reveal()),
        );
        if (origin !== new URL(url).origin) throw unreadable();
        return { [auth_name]: value };
      } catch (error) {
        if (error instanceof CannotOpen) throw unreadable(error);
        throw error;
      }
    },
  };
}

export type ServerHeaders = ReturnType<typeof serverHeaders>;
