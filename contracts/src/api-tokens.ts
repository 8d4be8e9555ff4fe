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
    summary:
      'The tokens with which programs use the own account under /v1, the newest first. Never the tokens themselves.',
    output: z.array(AccessToken),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/access-tokens',
    access: 'user',
    fresh: true,
    rate: 'keyUse',
    summary: 'Makes a token. It is shown in this answer and never again.',
    body: NewAccessToken,
    output: AccessToken.extend({ token: z.string() }),
    status: 201,
  }),
  createTrial: endpoint({
    method: 'POST',
    path: '/api/access-tokens/trial',
    access: 'user',
    rate: 'keyUse',
    summary: 'Makes a token that can chat for a minute, to try a call with; the one before it ends. It is in no list.',
    output: z.object({ token: z.string(), expiresAt: Time }),
    status: 201,
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: '/api/access-tokens/:id',
    access: 'user',
    summary: 'Revokes a token: nothing is let in with it any more, and what it has open is closed.',
    params: z.strictObject({ id: PathId }),
    output: NoContent,
    status: 204,
  }),
};
