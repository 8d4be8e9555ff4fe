import type { FastifyRequest } from 'fastify';
import type { Visitor } from '#server/security/events-repository';

/** The browser that sent a request. */
export const visitorOf = (request: FastifyRequest): Visitor => ({
  userAgent: request.headers['user-agent'] ?? null,
  ipAddress: request.ip,
});

/** In this order: later names also occur in the user agents of earlier ones. */
const browsers: [pattern: RegExp, name: string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: [pattern: RegExp, name: string][] = [
  [/\b(iPhone|iPod)\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\b(Macintosh|Mac OS X)\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const nameIn = (list: [RegExp, string][], text: string) => list.find(([pattern]) => pattern.test(text))?.[1];

/** '{browser} on {OS}' as far as the user agent tells; 'Unknown device' without one. */
export function deviceLabel(userAgent: string | null): string {
  if (!userAgent) return 'Unknown device';
  const browser = nameIn(browsers, userAgent);
  const system = nameIn(systems, userAgent);
  if (!browser && !system) return 'Unknown device';
  return `${browser ?? 'Unknown browser'} on ${system ?? 'unknown system'}`;
}
