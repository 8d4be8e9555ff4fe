import type { LoginProvider } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { type LoginProviderSettings, openIdSettings } from './configured.ts';
import { storeIssuer } from './issuer-repository.ts';

/** The issuer’s canonical URL. It distinguishes users who have the same subject at different issuers. */
export const normalizeIssuer = ({ href }: URL) => href.replace(/\/\.well-known\/.*$/, '').replace(/\/+$/, '');

/** undefined: the provider is not configured. */
export function configuredIssuer(config: LoginProviderSettings, provider: LoginProvider): string | undefined {
  const { google, github } = config;
  const others = { google: google?.issuer, github: github?.url };
  const url =
    provider === 'google' || provider === 'github' ? others[provider] : openIdSettings(config, provider)?.issuer;
  return url && normalizeIssuer(url);
}

/** Stores the configured issuers of identities without one. */
export async function storeIssuers(db: Kysely<Database>, config: LoginProviderSettings) {
  // No version stored an identity of another provider without its issuer.
  for (const provider of ['google', 'github'] as const) {
    const issuer = configuredIssuer(config, provider);
    if (issuer !== undefined) await storeIssuer(db, provider, issuer);
  }
}
