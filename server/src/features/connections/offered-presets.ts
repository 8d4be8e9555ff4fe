import type { ConnectionPreset } from '@roster/contracts/connections/connections';
import type { ConnectionAddresses } from '#server/provider/connections/address-policy';
import { presets } from '#server/provider/connections/presets';

const listedOnly =
  'Only addresses that Roster’s operator has listed can be entered (PROVIDER_HOSTS_ALLOWED, or CONNECTIONS=open).';

/** The presets as a person chooses from them. `listsHosts`: the operator has listed addresses of their own. */
export function offeredPresets(
  { policy, problemOf }: Pick<ConnectionAddresses, 'policy' | 'problemOf'>,
  listsHosts: boolean,
): ConnectionPreset[] {
  return presets.map(({ hosts: _, ...preset }) => {
    const address = preset.baseUrl ?? preset.example ?? '';
    const problem = problemOf(preset.id, address);
    if (problem === null || policy === 'off') return { ...preset, allowed: problem === null, notice: problem };
    // Another address than the usual one may be allowed.
    if (preset.id === 'other') return { ...preset, allowed: true, notice: listedOnly };
    return { ...preset, allowed: listsHosts, notice: problem };
  });
}
