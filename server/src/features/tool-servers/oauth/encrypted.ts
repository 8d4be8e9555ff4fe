import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { encryptWithDataKey } from '#server/security/encryption';
import { Secret } from '#server/security/secret';
import { type UserSecret, type Vault, VaultError } from '#server/security/vault';

const Address = z.string().max(4_000);
const Words = z.array(z.string().max(500)).max(200);

/** Metadata of an authorization server. Anything else it says is not stored. */
export const Authority = z.object({
  issuer: Address,
  authorization_endpoint: Address,
  token_endpoint: Address,
  registration_endpoint: Address.optional(),
  response_types_supported: Words,
  code_challenge_methods_supported: Words.optional(),
  token_endpoint_auth_methods_supported: Words.optional(),
  scopes_supported: Words.optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional().catch(undefined),
});
export type Authority = z.output<typeof Authority>;

/** Roster's registration there. */
export const Client = z.object({
  issuer: Address,
  redirectUri: z.string(),
  client_id: z.string().min(1).max(2_000),
  client_secret: z.string().max(4_000).optional(),
  /** Seconds; 0 means never. */
  client_secret_expires_at: z.number().optional().catch(undefined),
  token_endpoint_auth_method: z.string().max(100).optional().catch(undefined),
});
export type Client = z.output<typeof Client>;

const Common = {
  /** URL of the tool server: for another one they are useless. */
  url: z.string(),
  authority: Authority,
  client: Client,
  resource: z.string().optional(),
};
export const Flow = z.object({ ...Common, verifier: z.string() });
export type Flow = z.output<typeof Flow>;
export const Tokens = z.object({ ...Common, access: z.string(), refresh: z.string().optional() });
export type Tokens = z.output<typeof Tokens>;

const headerSafe = /^[\x21-\x7e]+$/;
/** A year: longer lifetimes are renewed earlier, and a number without limit is no date. */
const longestSeconds = 365 * 24 * 60 * 60;

/** A token response, within Roster's limits. */
export const TokenResponse = z.object({
  access_token: z.string().max(8_000).regex(headerSafe),
  token_type: z.string().regex(/^bearer$/i),
  refresh_token: z
    .string()
    .max(8_000)
    .regex(/^[\x20-\x7e]+$/)
    .optional(),
  expires_in: z
    .number()
    .transform((seconds) => Math.min(Math.max(seconds, 0), longestSeconds))
    .optional()
    .catch(undefined),
});

type SignInSecret = Extract<UserSecret, 'tool-server-client' | 'tool-server-tokens' | 'tool-server-flow'>;

/** A user's clients and tokens at tool servers, encrypted with the user's data key. */
export function encryptedSignIns({ db, vault }: { db: Kysely<Database>; vault: Vault }) {
  return {
    seal: (userId: number, purpose: SignInSecret, value: Client | Tokens | Flow): Promise<string> =>
      encryptWithDataKey({ db, vault }, userId, new Secret(JSON.stringify(value)), purpose),
    /** Returns null if it can no longer be decrypted. */
    open<Schema extends z.ZodType>(
      schema: Schema,
      userId: number,
      purpose: SignInSecret,
      { sealed, wrapped }: { sealed: string | null; wrapped: string | null },
    ): z.output<Schema> | null {
      if (sealed === null || wrapped === null) return null;
      try {
        return schema.parse(JSON.parse(vault.openProviderKey(userId, wrapped, sealed, purpose).reveal()));
      } catch (error) {
        if (error instanceof VaultError) return null;
        throw error;
      }
    },
  };
}

export type EncryptedSignIns = ReturnType<typeof encryptedSignIns>;
