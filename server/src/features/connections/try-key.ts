import type { Preset } from '#server/provider/connections/presets';
import { ProviderError } from '#server/provider/transport/error';
import type { OpenedClient } from './clients.ts';

/** Milliseconds that a person waits for a new key to be tried. */
const tryMs = 8_000;

/** `rejected`: in the provider's own words. `notice`: the key is stored with it; null: nothing is wrong. */
export type TriedKey = { rejected: string } | { notice: string | null };

/** The key is accepted, or nothing says that it is not. */
const limits = new Set<ProviderError['code']>(['missing_scope', 'rate_limited', 'insufficient_quota', 'region']);

/** Tries a key by listing models, which costs nothing. A provider without a list is asked only by Check. */
export async function tryKey({ key }: OpenedClient, preset: Pick<Preset, 'serves'>): Promise<TriedKey> {
  if (preset.serves.length > 0 && !preset.serves.includes('models')) return { notice: null };
  try {
    await key.provider.models(key, tryMs);
    return { notice: null };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.code === 'key_rejected') return { rejected: error.message };
    if (error.code === 'not_served') return { notice: null };
    if (limits.has(error.code)) return { notice: error.message };
    return { notice: `${error.message} The connection is saved but not verified.` };
  }
}
