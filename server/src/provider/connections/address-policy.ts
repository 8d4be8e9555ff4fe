import type { ConnectionPolicy, PresetId } from '@roster/contracts/connections/connections';
import type { buildConnector } from 'undici';
import type { Config } from '#server/config/config';
import { normalizeHost } from '#server/outbound/allowed-hosts';
import { AddressBlockedError, NotConnectedError } from '#server/outbound/errors';
import {
  type AddressRules,
  checkedAddresses,
  guardedConnector,
  type Lookup,
  rejectionReason,
} from '#server/outbound/guarded-connector';
import { parseAddress } from '#server/outbound/ip-ranges';
import { isHostOfAny, isPublicHostOf, presetOf } from './presets.ts';

const turnedOff =
  'This installation does not allow connections to other providers. Roster’s operator can allow them with CONNECTIONS=listed.';
const needsHttps = 'The address must begin with https://.';

/** Resolves to nothing that anybody runs, so that only a listed name can permit it. */
const noAddress = '192.0.2.1';

const unlisted = (host: string) =>
  `This installation allows connections to the listed providers only. Roster’s operator can allow ${host} with ${host}:443 in PROVIDER_HOSTS_ALLOWED, or all with CONNECTIONS=open.`;

/** The problem with the form of an address. null: none. */
function formProblem(url: URL | null): string | null {
  if (!url || url.hostname === '') return 'Enter an address such as https://api.example.com/v1';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return needsHttps;
  if (url.username || url.password) return 'Leave user name and password out of the address; enter a key instead.';
  if (url.search || url.hash) return 'Leave everything from ? or # on out of the address.';
  return null;
}

/** A literal address, or the one of this machine's usual name. null: the name has to be looked up. */
function literalOf(host: string): string | null {
  if (host === 'localhost' || host.endsWith('.localhost')) return '127.0.0.1';
  return parseAddress(host) && host;
}

const portOf = ({ port, protocol }: URL) => (port ? Number(port) : protocol === 'https:' ? 443 : 80);

/**
 * Decides which addresses a person's connection may have. Keys and conversations are sent there, and Roster asks from
 * inside the operator's network, so that every address is checked again for each connection that is opened.
 */
export function connectionAddresses(
  { connections: { policy, allowed, listsRanges }, proxyFor }: Pick<Config, 'connections' | 'proxyFor'>,
  lookup?: Lookup,
) {
  const rules: AddressRules = {
    allowed,
    variable: 'PROVIDER_HOSTS_ALLOWED',
    plainInside: true,
    publicProblem: (host) => (policy === 'open' || isHostOfAny(host) ? null : unlisted(host)),
  };
  const isListedName = (url: URL) => {
    const address = parseAddress(noAddress);
    return address !== null && allowed.permit({ host: normalizeHost(url.hostname), port: portOf(url), address });
  };

  /** The problem with a name that was not looked up: only what no address of it could change. */
  function nameProblem(preset: PresetId, url: URL): string | null {
    const host = normalizeHost(url.hostname);
    if (isListedName(url)) return null;
    const isOfPreset = isPublicHostOf(presetOf(preset), host);
    if (isOfPreset && url.protocol === 'http:') return needsHttps;
    if (listsRanges) return null;
    if (url.protocol === 'http:')
      return `${needsHttps} For a server in the operator’s network, Roster’s operator can allow it with ${host}:${portOf(url)} in PROVIDER_HOSTS_ALLOWED.`;
    if (portOf(url) !== 443)
      return `Port ${portOf(url)} of ${host} is not allowed, only 443 is. Roster’s operator can allow it with ${host}:${portOf(url)} in PROVIDER_HOSTS_ALLOWED.`;
    if (policy === 'open') return null;
    const { name, hosts, baseUrl, example } = presetOf(preset);
    if (hosts.length > 0 && !isOfPreset) return `The address of ${name} is ${baseUrl ?? example}.`;
    return isHostOfAny(host) ? null : unlisted(host);
  }

  function problemOf(preset: PresetId, baseUrl: string): string | null {
    if (policy === 'off') return turnedOff;
    const url = URL.parse(baseUrl);
    const wrong = formProblem(url);
    if (wrong || !url) return wrong;
    const literal = literalOf(normalizeHost(url.hostname));
    return literal === null ? nameProblem(preset, url) : rejectionReason(url, literal, rules);
  }

  return {
    policy: policy satisfies ConnectionPolicy,

    /** The reason why a connection may not have this address, in a person's words, without looking it up. null: none. */
    problemOf,

    /** As `problemOf`, and looks the name up. A name that is not known now is no reason. */
    async refusalOf(preset: PresetId, baseUrl: string): Promise<string | null> {
      const problem = problemOf(preset, baseUrl);
      if (problem !== null) return problem;
      try {
        await checkedAddresses(new URL(baseUrl), { ...rules, ...(lookup && { lookup }) });
        return null;
      } catch (error) {
        if (error instanceof AddressBlockedError) return error.message;
        if (error instanceof Error && 'code' in error) return null;
        throw error;
      }
    },

    /** Checks every address at the moment it is connected to, whatever was allowed when it was entered. */
    connector(build: typeof buildConnector): buildConnector.connector {
      if (policy === 'off')
        return (_target, callback) =>
          callback(new NotConnectedError('not allowed', { cause: new AddressBlockedError(turnedOff) }), null);
      return guardedConnector(build, { ...rules, proxyFor, ...(lookup && { lookup }) });
    },
  };
}

export type ConnectionAddresses = ReturnType<typeof connectionAddresses>;
