import { isIP } from 'node:net';
import { checkResourceAllowed } from '@modelcontextprotocol/sdk/shared/auth-utils.js';
import { type AllowedHosts, normalizeHost } from '#server/outbound/allowed-hosts';
import { AddressBlockedError, OutboundRequestError } from '#server/outbound/errors';
import { addressKind, parseAddress } from '#server/outbound/ip-ranges';
import type { SsrfGuard } from '#server/outbound/ssrf-guard';
import { Authority } from './encrypted.ts';
import { SignInError } from './failure.ts';
import { oauthFetch } from './fetch.ts';

/** Loaded with the first sign-in. */
export const loadAuth = () => import('@modelcontextprotocol/sdk/client/auth.js');

type DiscoveredAuthority = { authority: Authority; resource: string | undefined; scope: string | undefined };

const scopeLimit = 2_000;
const hello = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'Roster', version: '1.0.0' } },
});

/** Asks a server without credentials how to sign in. */
async function challenge(outgoing: SsrfGuard, url: URL, withinMs: number) {
  const { extractWWWAuthenticateParams } = await loadAuth();
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const request = { url, method: 'POST', headers, body: hello, withinMs, bodyLimit: 1024, redirects: 'leave' } as const;
  const answer = await outgoing.sendRequest(request);
  answer.drop();
  return extractWWWAuthenticateParams(new Response(null, { status: 401, headers: answer.headers }));
}

/** RFC 8414: the issuer in the description must be the one that was asked. `URL` adds the final slash. */
const isSame = (one: string, other: string) => one.replace(/\/$/, '') === other.replace(/\/$/, '');

/**
 * True for addresses that a browser may be sent to: https, or this machine if the operator has allowed it, as for
 * Roster's own requests. Other schemes could act within the page.
 */
export function isBrowserUrlAllowed(address: string, allowed: AllowedHosts): boolean {
  const url = URL.parse(address);
  if (!url || url.username || url.password) return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol !== 'http:') return false;
  const host = normalizeHost(url.hostname);
  const at = parseAddress(isIP(host) ? host : host === 'localhost' ? '127.0.0.1' : '');
  const port = url.port ? Number(url.port) : 80;
  return at !== null && addressKind(at) === 'loopback' && allowed.permit({ host, port, address: at });
}

/** @throws SignInError if Roster would have to trust what is not stated */
function checked(authority: Authority, issuer: string, allowed: AllowedHosts): Authority {
  const { host } = new URL(issuer);
  if (!isSame(authority.issuer, issuer))
    throw new SignInError(`${host} describes another server’s sign-in, so it is not used.`);
  if (!isBrowserUrlAllowed(authority.authorization_endpoint, allowed))
    throw new SignInError(`${host} asks people to sign in at an address that does not begin with https://.`);
  if (
    !authority.response_types_supported.includes('code') ||
    !authority.code_challenge_methods_supported?.includes('S256')
  )
    throw new SignInError(`${host} does not support the authorization code flow with PKCE, which Roster requires.`);
  return authority;
}

/**
 * Finds the authorization server of a tool server, as the MCP specification describes.
 * @throws errors that signInFailure knows
 */
export async function discover(
  outgoing: SsrfGuard,
  allowed: AllowedHosts,
  serverUrl: string,
  withinMs: number,
): Promise<DiscoveredAuthority> {
  const sdk = await loadAuth();
  const challenged = await challenge(outgoing, new URL(serverUrl), withinMs);
  const guarded = oauthFetch(outgoing, withinMs);
  let status = 0;
  const noting: typeof guarded = async (address, init) => {
    const response = await guarded(address, init);
    ({ status } = response);
    return response;
  };
  const options = challenged.resourceMetadataUrl ? { resourceMetadataUrl: challenged.resourceMetadataUrl } : {};
  const described = await sdk
    .discoverOAuthProtectedResourceMetadata(serverUrl, options, noting)
    .catch((error: unknown) => {
      const isExplained = error instanceof AddressBlockedError || error instanceof OutboundRequestError;
      // A server older than that part of the specification authorizes by itself.
      if (!isExplained && status >= 400 && status < 500) return undefined;
      throw error;
    });
  if (described && !checkResourceAllowed({ requestedResource: serverUrl, configuredResource: described.resource }))
    throw new SignInError(`${new URL(serverUrl).host} describes the sign-in of another server, so it is not used.`);
  const issuer = described?.authorization_servers?.[0] ?? new URL('/', serverUrl).href;
  const metadata = await sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn: guarded });
  if (!metadata)
    throw new SignInError(
      `${new URL(issuer).host} does not say how people sign in. Choose another access for this server.`,
    );
  const scope = challenged.scope ?? described?.scopes_supported?.join(' ');
  return {
    authority: checked(Authority.parse(metadata), issuer, allowed),
    resource: described?.resource,
    scope: scope !== undefined && scope.length <= scopeLimit ? scope : undefined,
  };
}
