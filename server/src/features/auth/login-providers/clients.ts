import type { LoginProvider } from '@roster/contracts/auth';
import type { Config } from '#server/config/config';
import { githubProvider } from './github.ts';
import { googleProvider } from './google.ts';
import type { LoginProviderClient } from './login-provider.ts';

export function loginProviderClients({ google, github }: Pick<Config, LoginProvider>) {
  const providers = new Map<LoginProvider, LoginProviderClient>();
  if (google) providers.set('google', googleProvider(google));
  if (github) providers.set('github', githubProvider(github));
  return providers;
}
