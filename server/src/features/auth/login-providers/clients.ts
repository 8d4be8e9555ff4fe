import type { LoginProvider } from '@roster/contracts/auth';
import type { Config } from '#server/config/config';
import { githubProvider } from './github.ts';
import { googleProvider } from './google.ts';
import type { LoginProviderClient } from './login-provider.ts';
import { openIdProvider } from './openid.ts';

export function loginProviderClients({ google, github, openId }: Pick<Config, 'google' | 'github' | 'openId'>) {
  const providers = new Map<LoginProvider, LoginProviderClient>();
  if (google) providers.set('google', googleProvider(google));
  if (github) providers.set('github', githubProvider(github));
  for (const settings of openId)
    providers.set(settings.id, openIdProvider({ ...settings, trustVariable: `${settings.prefix}_TRUST_EMAIL` }));
  return providers;
}
