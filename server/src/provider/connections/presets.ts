import { Ability, KeyHeader, PresetId, presetIds } from '@roster/contracts/connections/connections';
import { z } from 'zod';
import { normalizeHost } from '#server/outbound/allowed-hosts';
import presetFile from './presets.json' with { type: 'json' };

const Preset = z.strictObject({
  id: PresetId,
  name: z.string().min(1).max(60),
  /** null: the person enters it. */
  baseUrl: z.url({ protocol: /^https?$/ }).nullable(),
  /** The public hosts of the provider; `*` is one label. Empty: anybody can run it. */
  hosts: z.array(z.string().regex(/^(\*\.)?[a-z0-9.-]+$/)),
  example: z.string().nullable(),
  keyPage: z.url({ protocol: /^https$/ }).nullable(),
  key: z.enum(['needed', 'optional', 'none']),
  keyHeader: KeyHeader,
  /** Sent with each request. */
  headers: z.record(z.string().regex(/^[a-z-]+$/), z.string()).default({}),
  serves: z.array(Ability),
  asOf: z.iso.date(),
  source: z.string(),
});
export type Preset = z.output<typeof Preset>;

/** Parsed once at start-up: a mistake in the file must not wait for the person who chooses that provider. */
export const presets: readonly Preset[] = z.array(Preset).parse(presetFile);
const byId = new Map(presets.map((preset) => [preset.id, preset]));
if (byId.size !== presetIds.length) throw new Error('presets.json has not each preset once');

export function presetOf(id: PresetId): Preset {
  const preset = byId.get(id);
  if (!preset) throw new Error(`no preset ${id}`);
  return preset;
}

/** The header that carries the key. */
export const keyHeaderOf = (id: PresetId): KeyHeader => presetOf(id).keyHeader;

function isHostOf(pattern: string, host: string): boolean {
  if (!pattern.startsWith('*.')) return host === pattern;
  const [label, ...rest] = host.split('.');
  return label !== undefined && label !== '' && rest.join('.') === pattern.slice(2);
}

/** `host` as `URL` writes it. */
export const isPublicHostOf = ({ hosts }: Pick<Preset, 'hosts'>, host: string): boolean =>
  hosts.some((pattern) => isHostOf(pattern, normalizeHost(host)));

export const isHostOfAny = (host: string): boolean => presets.some((preset) => isPublicHostOf(preset, host));
