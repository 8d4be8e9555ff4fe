import type { LocalServer } from '@roster/contracts/connections/connections';
import type { ConnectionAddresses } from '#server/provider/connections/address-policy';
import { keyHeaderOf, type Preset } from '#server/provider/connections/presets';
import { ProviderError } from '#server/provider/transport/error';
import type { OpenClient } from './clients.ts';

/** A server on this machine answers at once, or does not run. */
const answerMs = 1_000;

type LookupContext = { addresses: Pick<ConnectionAddresses, 'problemOf'>; open: OpenClient };

async function lookAt(
  { id: preset, name, baseUrl }: Pick<Preset, 'id' | 'name' | 'baseUrl'>,
  { addresses, open }: LookupContext,
): Promise<LocalServer[]> {
  if (baseUrl === null || addresses.problemOf(preset, baseUrl) !== null) return [];
  const target = { id: 0, name, preset, baseUrl, api: 'auto', firstTokenSeconds: null } as const;
  const client = await open({ ...target, keyHeader: keyHeaderOf(preset) }, '');
  try {
    return [{ preset, baseUrl, models: (await client.key.provider.models(client.key, answerMs)).length }];
  } catch (error) {
    if (error instanceof ProviderError) return [];
    throw error;
  } finally {
    await client.end();
  }
}

/** Finds servers of models on the machine of this installation: those of `presets` that have a loopback address. */
export async function findLocalServers(
  presets: readonly (Pick<Preset, 'id' | 'name' | 'baseUrl'> & { hosts: readonly string[] })[],
  looking: LookupContext,
): Promise<LocalServer[]> {
  const local = presets.filter(({ hosts }) => hosts.length === 0);
  return (await Promise.all(local.map((preset) => lookAt(preset, looking)))).flat();
}
