import type { ExternalProvider } from '@roster/contracts/auth';
import type { Config } from '../../../config.ts';
import { githubProvider } from './github.ts';
import { googleProvider } from './google.ts';
import type { IdentityProvider } from './login-provider.ts';

/** The identity providers that the operator has configured. */
export function identityProviders({ google, github }: Pick<Config, 'google' | 'github'>) {
  const providers = new Map<ExternalProvider, IdentityProvider>();
  if (google) providers.set('google', googleProvider(google));
  if (github) providers.set('github', githubProvider(github));
  return providers;
}
