import type { Rate } from '@roster/contracts/endpoint';
import { networkOf } from '#server/http/client-network';
import { AppError } from '#server/lib/errors';
import { type Place, RateWindows } from './rate-windows.ts';
import type { SharedRateLimits } from './shared-rate-limits.ts';

type Limit = { count: number; seconds: number };

const minute = 60;
const hour = 3600;

/**
 * Limits by kind. `failedSignIn` counts failed sign-ins, `failedCode` wrong codes of an account from unknown networks, `confirmationMail` mails to an account's address, which may be
 * somebody else's, `failedToken` calls without a valid access token, `apiCalls` the calls of a token, `provisioning` those of a directory; the rest count
 * calls.
 */
const limits: Record<
  Rate | 'failedSignIn' | 'failedCode' | 'failedToken' | 'confirmationMail' | 'apiCalls' | 'provisioning',
  Limit
> = {
  default: { count: 300, seconds: minute },
  signIn: { count: 30, seconds: 5 * minute },
  failedSignIn: { count: 5, seconds: 15 * minute },
  failedCode: { count: 10, seconds: hour },
  failedToken: { count: 100, seconds: minute },
  confirmationMail: { count: 3, seconds: hour },
  register: { count: 5, seconds: hour },
  resetRequest: { count: 10, seconds: hour },
  resetAttempt: { count: 10, seconds: hour },
  keyUse: { count: 10, seconds: minute },
  messages: { count: 20, seconds: minute },
  uploads: { count: 60, seconds: minute },
  jobs: { count: 10, seconds: minute },
  apiCalls: { count: 300, seconds: minute },
  // Entra ID asks for 25 requests per second.
  provisioning: { count: 3_000, seconds: minute },
};

type Name = keyof typeof limits;

/**
 * Too frequent for a query each: each process counts alone and shares its counts a moment later. All others guard
 * passwords, mails and money, and are counted exactly.
 */
const eventuallyShared: ReadonlySet<Name> = new Set<Name>(['default', 'apiCalls', 'provisioning']);

/** A client counted by its network instead of its account. */
export type Sender = { address: string; detail?: string };

/** The counted party. A string is a signed-in user: it starts with their id, up to a `|`. */
export type RateKey = string | Sender;

/** Maximum number of counters of each of the two kinds; one takes about 250 bytes. */
const defaultCapacity = 50_000;

type Options = {
  /** Multiplies each limit. */
  scale: number;
  /** Set if several processes count together. */
  shared?: SharedRateLimits | undefined;
  capacity?: number;
  now?: () => number;
};

/**
 * Counts uses in fixed windows. Signed-in users and anonymous senders are counted separately, each in bounded memory
 * (rate-windows.ts), in this process or in all processes that share a database (shared-rate-limits.ts).
 */
export function createRateLimits({
  scale,
  shared,
  capacity = defaultCapacity,
  now = () => performance.now(),
}: Options) {
  const people = new RateWindows(capacity, now);
  const senders = new RateWindows(capacity, now);
  const windowsOf = (key: RateKey) => (typeof key === 'string' ? people : senders);
  const limitOf = (name: Name) => ({ count: limits[name].count * scale, lengthMs: limits[name].seconds * 1000 });
  /** The shared counts; undefined: count in this process. */
  const sharedFor = (name: Name) => (eventuallyShared.has(name) ? undefined : shared);

  async function counted(name: Name, key: RateKey): Promise<number> {
    const [place, limit] = [placeOf(name, key), limitOf(name)];
    const together = sharedFor(name);
    if (together) return together.use(place, limit);
    const waitMs = windowsOf(key).use(place, limit);
    if (waitMs === 0) shared?.note(windowsOf(key), place, limit.lengthMs);
    return waitMs;
  }

  return {
    /** Counts one use. @throws rate_limited with the seconds to wait */
    async use(name: Name, key: RateKey) {
      const waitMs = await counted(name, key);
      if (waitMs > 0) throw rateLimitedError(Math.max(1, Math.ceil(waitMs / 1000)));
    },
    /** The remaining uses and the window's end, as far as this process knows. */
    standing(name: 'apiCalls', key: RateKey) {
      const limit = limitOf(name);
      return { limit: limit.count, ...windowsOf(key).standing(placeOf(name, key), limit) };
    },
    /** Takes back a use that had no effect. */
    giveBack: async (name: Name, key: RateKey) => (sharedFor(name) ?? windowsOf(key)).giveBack(placeOf(name, key)),
    forget: async (name: Name, key: RateKey) => (sharedFor(name) ?? windowsOf(key)).forget(placeOf(name, key)),
    /** The number of counters in memory. */
    size: () => people.size + senders.size,
    close: async () => shared?.close(),
  };
}

export type RateLimits = ReturnType<typeof createRateLimits>;

function rateLimitedError(seconds: number) {
  const wait = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return new AppError('rate_limited', `Too many attempts. Please wait ${wait} and try again.`, {
    retryAfterSeconds: seconds,
  });
}

function placeOf(name: string, key: RateKey): Place {
  if (typeof key === 'string') {
    const [group = key] = key.split('|', 1);
    return { id: `${name}|${key}`, group, part: undefined };
  }
  const { counted, site, region } = networkOf(key.address);
  const of = `${name}|${key.detail ?? ''}`;
  return site === undefined
    ? { id: `${of}|${counted}`, group: region, part: undefined }
    : { id: `${of}|${site}`, group: region, part: counted };
}
