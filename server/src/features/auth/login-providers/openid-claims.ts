import { z } from 'zod';
import { normalizeGroup } from '#server/features/auth/shared/role-of-groups';
import { isObject } from '#server/lib/is-object';
import { LoginProviderError } from './login-provider.ts';

/** The claims in which an OpenID Connect provider names people. */
export type ClaimNames = { name: string; email: string; groups?: string | undefined };

/** Claims besides the subject. A malformed claim counts as missing and does not invalidate the others. */
export type Claims = {
  email: string | undefined;
  isVerified: boolean | undefined;
  name: unknown;
  groups: readonly string[] | LoginProviderError | undefined;
};

const Email = z.string().min(1).optional().catch(undefined);
/** Some issuers send it as a string. */
const Verified = z
  .union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })])
  .optional()
  .catch(undefined);

type RawClaims = Record<string, unknown>;

/** A claim by its own name, or by a path with dots. Names may be addresses, which contain dots themselves. */
function claimAt(raw: RawClaims, path: string): unknown {
  if (Object.hasOwn(raw, path)) return raw[path];
  let value: unknown = raw;
  for (const part of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

const maxGroups = 1_000;
const maxGroupLength = 500;

/** Groups come as a list, as one text, or with commas between them. */
function groupsIn(raw: RawClaims, path: string): Claims['groups'] {
  // Entra leaves out the groups of people who are in more than 200.
  if (isObject(raw._claim_names) && Object.hasOwn(raw._claim_names, path))
    return new LoginProviderError('groups_unknown', 'the provider named no groups because there are too many');
  const value = claimAt(raw, path);
  const listed = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(listed)) return undefined;
  const names = listed
    .slice(0, maxGroups)
    .flatMap((name: unknown) => (typeof name === 'string' && name.length <= maxGroupLength ? normalizeGroup(name) : []))
    .filter((name) => name !== '');
  return [...new Set(names)];
}

function nameIn(raw: RawClaims, path: string): unknown {
  const name = claimAt(raw, path);
  if (name !== undefined || path !== 'name') return name;
  const parts = [raw.given_name, raw.family_name].filter((part) => typeof part === 'string' && part !== '');
  return parts.length > 0 ? parts.join(' ') : undefined;
}

/** `email_verified` speaks of `email`, and says nothing about an address in another claim. */
export function readClaims(raw: RawClaims, names: ClaimNames): Claims {
  const isOwn = names.email === 'email';
  return {
    email: Email.parse(claimAt(raw, names.email)),
    isVerified: isOwn ? Verified.parse(raw.email_verified) : undefined,
    name: nameIn(raw, names.name),
    groups: names.groups === undefined ? undefined : groupsIn(raw, names.groups),
  };
}

/**
 * A verification counts only for the address it was stated with: an identity token cannot verify another address from
 * userinfo.
 */
export function joinClaims(own: Claims, more: Claims): Claims {
  const isSame = own.email === undefined || more.email === undefined || own.email === more.email;
  return {
    email: more.email ?? own.email,
    isVerified: more.isVerified ?? (isSame ? own.isVerified : undefined),
    name: own.name ?? more.name,
    groups: own.groups instanceof LoginProviderError ? (more.groups ?? own.groups) : (own.groups ?? more.groups),
  };
}

/** Values that may come as a list or as one text. */
const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string');

/** True if the signed claims `amr` or `acr` say that more than a password was asked for. */
export const saysSecondFactor = (
  { amr, acr }: RawClaims,
  accepted: { amr: readonly string[]; acr: readonly string[] } | undefined,
): boolean =>
  accepted !== undefined &&
  (texts(amr).some((method) => accepted.amr.includes(method)) ||
    texts(acr).some((name) => accepted.acr.includes(name)));
