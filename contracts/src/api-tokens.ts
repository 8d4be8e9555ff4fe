import { z } from 'zod';
import { endpoint, Id, NoContent, PathId, Time } from './endpoint.ts';
import { nameText } from './text/text.ts';

/** Permissions of a token; each call under /v1 names the one it requires. */
export const tokenPermissions = ['chat', 'assistants', 'files'] as const;
export const TokenPermission = z.enum(tokenPermissions);
export type TokenPermission = z.output<typeof TokenPermission>;

export const tokenLifetimes = [30, 90, 365] as const;
export const accessTokenLimit = 50;

export const AccessToken = z.object({
  id: Id,
  name: z.string(),
  /** As chosen; while the owner is a Viewer, `chat` only. */
  rights: z.array(TokenPermission),
  last4: z.string(),
  monthlyBudgetUsd: z.number().nullable(),
  /** Estimated costs in this calendar month (UTC). */
  spentUsd: z.number(),
  createdAt: Time,
  /** null: does not expire. */
  expiresAt: Time.nullable(),
  /** null: not used yet. */
  lastUsedAt: Time.nullable(),
  lastUsedIp: z.string().nullable(),
});
export type AccessToken = z.output<typeof AccessToken>;

export const NewAccessToken = z.strictObject({
  name: nameText(60, 'The name cannot exceed 60 characters', 'Name is required'),
  rights: z
    .array(TokenPermission)
    .min(1, 'Choose at least one permission')
    .max(tokenPermissions.length)
    .refine((rights) => new Set(rights).size === rights.length, 'Name each permission once'),
  expiresInDays: z.literal(tokenLifetimes).nullable(),
  monthlyBudgetUsd: z
    .number()
    .min(0.01, 'Enter at least $0.01')
    .max(1_000_000, 'This amount is too high')
    .nullable()
    .default(null),
});
export type NewAccessToken = z.input<typeof NewAccessToken>;

export const apiTokens = {
  list: endpoint({
    method: 'GET',
    path: '/api/access-tokens',
    access: 'user',
    summary: 'Lists the access tokens that programs use under /v1, newest first. Never returns the tokens themselves.',
    output: z.array(AccessToken),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/access-tokens',
    access: 'user',
    fresh: true,
    rate: 'keyUse',
    summary: 'Creates an access token. Only this response contains it.',
    body: NewAccessToken,
    output: AccessToken.extend({ token: z.string() }),
    status: 201,
  }),
  createTrial: endpoint({
    method: 'POST',
    path: '/api/access-tokens/trial',
    access: 'user',
    rate: 'keyUse',
    summary:
      'Creates a token with the Chat permission that works for a minute, for trying a call. It replaces the previous one and appears in no list.',
    output: z.object({ token: z.string(), expiresAt: Time }),
    status: 201,
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: '/api/access-tokens/:id',
    access: 'user',
    summary: 'Revokes an access token. Requests with it are rejected from now on, and its open streams are closed.',
    params: z.strictObject({ id: PathId }),
    output: NoContent,
    status: 204,
  }),
};
