import { type OpenIdProvider, openIdProviders } from '@roster/contracts/auth';
import { z } from 'zod';
import type { ProxyFor } from '#server/outbound/proxy';
import { Secret } from '#server/security/secret';

const blankAsUndefined = (value: unknown) => (typeof value === 'string' && value.trim() === '' ? undefined : value);
const setting = <T extends z.ZodType>(schema: T) => z.preprocess(blankAsUndefined, schema);
const text = setting(z.string().trim().max(1_000).optional());
/** Separated by commas. */
const list = (fallback = '') =>
  setting(z.string().max(10_000).default(fallback)).transform((items) =>
    items.split(',').flatMap((item) => item.trim() || []),
  );

/** Values of `amr` that name something besides a password (RFC 8176, and what providers in use send). */
const secondFactorMethods =
  'mfa,otp,totp,hwk,swk,fpt,face,iris,retina,sc,sms,tel,fido,phr,phrh,pop,webauthn,passkey,hotp';

/** The variables of one OpenID Connect provider, without their prefix. */
const Variables = z.object({
  ISSUER: setting(z.url({ protocol: /^https?$/ }).optional()),
  CLIENT_ID: text,
  CLIENT_SECRET: setting(z.string().optional()),
  NAME: setting(
    z
      .string()
      .trim()
      .max(40, 'must have at most 40 characters')
      .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'must be one line of letters and signs')
      .optional(),
  ),
  SCOPES: setting(
    z
      .string()
      .max(1_000)
      .refine((scopes) => scopes.split(/\s+/).includes('openid'), 'must contain openid')
      .default('openid email profile'),
  ),
  AUTH_METHOD: setting(z.enum(['client_secret_basic', 'client_secret_post']).optional()),
  TRUST_EMAIL: setting(z.enum(['true', 'false']).default('false')),
  NAME_CLAIM: setting(z.string().trim().max(200).default('name')),
  EMAIL_CLAIM: setting(z.string().trim().max(200).default('email')),
  GROUPS_CLAIM: setting(z.string().trim().max(200).default('groups')),
  ADMIN_GROUP: text,
  EDITOR_GROUP: text,
  ALLOWED_GROUPS: list(),
  ALLOWED_DOMAINS: list(),
  MFA_AMR: list(secondFactorMethods),
  MFA_ACR: list(),
});

/** Every variable that configures the provider. */
export const variablePrefix = (id: OpenIdProvider) => id.toUpperCase().replace('-', '_');
export const openIdSecretVariables = openIdProviders.map((id) => `${variablePrefix(id)}_CLIENT_SECRET`);

type Reading = {
  /** @throws an error that names the variable */
  parseUrl: (name: string, address: string) => URL;
  proxyFor: ProxyFor;
  invalid: (message: string) => Error;
};

/** An OpenID Connect provider that people sign in with. */
export type OpenIdSettings = NonNullable<ReturnType<typeof readProvider>> & {
  /** The groups that SCIM brings count at this provider's sign-ins too. */
  isProvisioned: boolean;
};

function readProvider(
  id: OpenIdProvider,
  variables: Record<string, string | undefined>,
  { parseUrl, proxyFor, invalid }: Reading,
) {
  const prefix = variablePrefix(id);
  const own = Object.keys(Variables.shape).map((name) => [name, variables[`${prefix}_${name}`]]);
  const parsed = Variables.safeParse(Object.fromEntries(own));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(`${prefix}_${String(issue?.path[0])}: ${issue?.message}.`);
  }
  const set = parsed.data;
  const { ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = set;
  if (!issuer && !clientId && !clientSecret) return undefined;
  if (!issuer || !clientId || !clientSecret)
    throw invalid(`Set ${prefix}_ISSUER, ${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET, all of them or none.`);
  const url = parseUrl(`${prefix}_ISSUER`, issuer);
  return {
    id,
    prefix,
    name: set.NAME ?? url.hostname,
    clientId,
    clientSecret: new Secret(clientSecret),
    issuer: url,
    proxyFor,
    scopes: set.SCOPES.split(/\s+/).join(' ').trim(),
    authMethod: set.AUTH_METHOD,
    trustEmail: set.TRUST_EMAIL === 'true',
    claims: { name: set.NAME_CLAIM, email: set.EMAIL_CLAIM, groups: set.GROUPS_CLAIM },
    adminGroup: set.ADMIN_GROUP,
    editorGroup: set.EDITOR_GROUP,
    allowedGroups: set.ALLOWED_GROUPS,
    allowedDomains: set.ALLOWED_DOMAINS.map((domain) => domain.toLowerCase().replace(/^@/, '')),
    secondFactor: { amr: set.MFA_AMR, acr: set.MFA_ACR },
  };
}

/** @throws an error that names the variable and what to change */
export function readOpenIdProviders(variables: Record<string, string | undefined>, reading: Reading): OpenIdSettings[] {
  const found = openIdProviders.flatMap((id) => readProvider(id, variables, reading) ?? []);
  const { SCIM_TOKEN: token, SCIM_PROVIDER: chosen } = variables;
  const provisioned = token?.trim() ? chosen?.trim() || found[0]?.id : undefined;
  return found.map((provider) => ({ ...provider, isProvisioned: provider.id === provisioned }));
}
