import type { PresetId } from '@roster/contracts/connections/connections';
import type { Secret } from '#server/security/secret';
import { ConnectionKey } from './connection-key.ts';
import { presetOf } from './presets.ts';

/** The headers that requests carry besides the key: the provider's own, then those of the connection. */
export const sentHeaders =
  (preset: PresetId) =>
  (apiKey: Secret): Record<string, string> => ({
    ...presetOf(preset).headers,
    ...(apiKey instanceof ConnectionKey ? apiKey.headers() : {}),
  });
