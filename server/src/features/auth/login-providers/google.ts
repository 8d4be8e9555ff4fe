import type { Config } from '#server/config/config';
import type { LoginProviderClient } from './login-provider.ts';
import { openIdProvider } from './openid.ts';

/** Google is an OpenID Connect provider whose answers are known. */
export const googleProvider = (settings: NonNullable<Config['google']>): LoginProviderClient =>
  openIdProvider({
    ...settings,
    id: 'google',
    scopes: 'openid email profile',
    authMethod: 'client_secret_post',
    claims: { name: 'name', email: 'email' },
    trustVariable: 'GOOGLE_TRUST_EMAIL',
  });
