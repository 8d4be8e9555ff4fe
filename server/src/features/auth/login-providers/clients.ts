import type { LoginProvider } from '@roster/contracts/auth';
import type { Config } from '#server/config/config';
import { githubProvider } from './github.ts';
import type { LoginProviderClient } from './login-provider.ts';
import { openIdProvider } from './openid.ts';

/** Google is an OpenID Connect provider whose answers are known. */
const googleProvider = (settings: NonNullable<Config['google']>): LoginProviderClient =>
  openIdProvider({
    ...settings,
    id: 'google',
    scopes: 'openid email profile',
    authMethod: 'client_secret_post',
    claims: { name: 'name', email: 'email' },
    trustVariable: 'GOOGLE_TRUST_EMAIL',
  });

export function loginProviderClients({ google, github, openId }: Pick<Config, 'google' | 'github' | 'openId'>) {
  const providers = new Map<LoginProvider, LoginProviderClient>();
  if (google) providers.set('google', googleProvider(google));
  if (github) providers.set('github', githubProvider(github));
  for (const settings of openId)
    providers.set(settings.id, openIdProvider({ ...settings, trustVariable: `${settings.prefix}_TRUST_EMAIL` }));
  return providers;
}
