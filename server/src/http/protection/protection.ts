import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '#server/config/config';
import { clientNetwork } from '#server/http/client-network';
import { isPublicApiRequest } from '#server/http/public-api/errors';
import { isScimRequest } from '#server/http/scim/errors';
import { AppError } from '#server/lib/errors';

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Passkeys are the one thing that pages may ask the browser for. */
const passkeyFeatures = ['publickey-credentials-create=(self)', 'publickey-credentials-get=(self)'];
const deniedFeatures = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'screen-wake-lock',
  'serial',
  'usb',
];
const permissionsPolicy = [...deniedFeatures.map((feature) => `${feature}=()`), ...passkeyFeatures].join(', ');

export function securityHeaders(config: Pick<Config, 'publicUrl' | 'includeSubdomains'>): Record<string, string> {
  return {
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': permissionsPolicy,
    ...(config.publicUrl.protocol === 'https:'
      ? { 'strict-transport-security': `max-age=31536000${config.includeSubdomains ? '; includeSubDomains' : ''}` }
      : {}),
  };
}

/** The origins of this installation. On loopback all names of the machine count. */
function ownOrigins({ publicUrl, loopback }: Config): Set<string> {
  if (!loopback) return new Set([publicUrl.origin]);
  const { protocol, port } = publicUrl;
  return new Set(['localhost', '127.0.0.1', '[::1]'].map((host) => `${protocol}//${host}${port && `:${port}`}`));
}

/** Sets security headers on every response, and rejects cross-site requests and wrong host names. */
export function protect(app: FastifyInstance, config: Config) {
  const headers = securityHeaders(config);
  const origins = ownOrigins(config);
  const hosts = new Set([...origins].map((origin) => new URL(origin).host));

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    const isDoor = isPublicApiRequest(request.url) || isScimRequest(request.url);
    if (isDoor || request.url.startsWith('/api/')) reply.header('cache-control', 'no-store');
    if (request.url.length > 8192) throw new AppError('too_large', 'The address is too long.');
    if (request.url.includes('%00'))
      throw new AppError('invalid_input', 'The address contains a character (U+0000) that cannot be stored.');
    refuseUnclearHost(request);
    // /v1 and /scim accept no credentials that a browser sends by itself; cors.ts decides which origins may use /v1.
    if (isDoor) return;
    // Against DNS rebinding: a foreign name that points to this machine is sent as the host.
    if (config.loopback && !request.routeOptions.config.anyHost && !hosts.has(request.headers.host ?? '')) {
      noteCrossSite(request);
      throw new AppError('cross_site', `Open Roster at ${config.publicUrl.origin}.`);
    }
    if (isFromPeer(request)) return;
    refuseCrossSite(request, config.publicUrl.origin, origins);
  });
}

/** Browsers name the origin or the site of every request that changes something. */
const isFromPeer = ({ routeOptions, headers }: FastifyRequest) =>
  routeOptions.config.peerForm === true && headers.origin === undefined && headers['sec-fetch-site'] === undefined;

/** With two Host headers a proxy in front may have used the other one. */
function refuseUnclearHost({ raw, routeOptions }: FastifyRequest) {
  const names = raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (names > 1) throw new AppError('invalid_input', 'The request has more than one Host header.');
  if (names === 0 && raw.httpVersion === '1.1' && !routeOptions.config.anyHost)
    throw new AppError('invalid_input', 'The request has no Host header.');
}

const isReading = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD';

/**
 * Changes must come from our own page. Reads by a signed-in user must come from it too, or from the user directly:
 * another site could otherwise open such an address in their name.
 */
function refuseCrossSite(request: FastifyRequest, ownOrigin: string, origins: Set<string>) {
  const site = request.headers['sec-fetch-site'];
  if (isReading(request)) {
    const { access } = request.routeOptions.config;
    const isOpen = access === undefined || access === 'public' || access === 'operation';
    if (isOpen || (site !== 'cross-site' && site !== 'same-site')) return;
    noteCrossSite(request);
    throw new AppError('cross_site', `Another site led here. Open Roster at ${ownOrigin}.`);
  }
  const { origin } = request.headers;
  const isOwn = site === undefined ? origin !== undefined && origins.has(origin) : site === 'same-origin';
  if (isOwn) return;
  noteCrossSite(request);
  throw new AppError('cross_site', 'This request did not come from Roster’s own page. Reload the page and try again.');
}

function noteCrossSite(request: FastifyRequest) {
  const { headers, routeOptions } = request;
  const site = String(headers['sec-fetch-site'] ?? '').slice(0, 40);
  request.log.warn(
    { event: 'cross_site_refused', address: clientNetwork(request), site, route: routeOptions.url },
    'cross-site request refused',
  );
}
