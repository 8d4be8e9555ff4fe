import type { LoginProvider } from '@roster/contracts/auth';
import type { Config } from '#server/config/config';
import type { OpenIdSettings } from '#server/config/openid-providers';

/** The settings of all login providers. */
export type LoginProviderSettings = Pick<Config, 'google' | 'github' | 'openId'>;

export const openIdSettings = ({ openId }: Pick<LoginProviderSettings, 'openId'>, provider: LoginProvider) =>
  openId.find(({ id }) => id === provider);

/** The name that people know a provider by. */
export function providerName(config: Pick<LoginProviderSettings, 'openId'>, provider: LoginProvider): string {
  if (provider === 'google') return 'Google';
  if (provider === 'github') return 'GitHub';
  return openIdSettings(config, provider)?.name ?? 'OpenID Connect';
}

/** Roles and admission depend on the groups or the address that the provider names. */
export const asksForGroups = ({ adminGroup, editorGroup, allowedGroups }: OpenIdSettings) =>
  adminGroup !== undefined || editorGroup !== undefined || allowedGroups.length > 0;
