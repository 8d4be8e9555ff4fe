import type { Rate } from '@roster/contracts/endpoint';
import { networkOf } from '#server/http/client-network';
import { AppError } from '#server/lib/errors';
import { type Place, Windows } from './rate-windows.ts';
import type { SharedRateLimits } from './shared-rate-limits.ts';

type Limit = { count: number; seconds: number };

const minute = 60;
const hour = 3600;

/**
 * How often each may happen. `failedSignIn` counts sign-ins that did not succeed, `confirmationMail` mails to the address
 * of an account, which need not be its owner's, `failedToken` calls with no good access token, `apiCalls` those of a token;
 * the rest count calls.
 */
const limits: Record<Rate | 'failedSignIn' | 'failedToken' | 'confirmationMail' | 'apiCalls', Limit> = {
  default: { count: 300, seconds: minute },
  signIn: { count: 30, seconds: 5 * minute },
  failedSignIn: { count: 5, seconds: 15 * minute },
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
};

type Name = keyof typeof limits;

/**
 * Too frequent to ask the database for each: what a process counts of them the others learn a moment later. Of the rest,
 * which guard passwords, mails and money, no use is too much.
 */
const soonShared: ReadonlySet<Name> = new Set<Name>(['default', 'apiCalls']);

/** A caller that is counted by its network, not by its account. */
export type Sender = { address: string; detail?: string };

/**
 * Who is counted. A text stands for a signed-in user and begins with their id, up to a `|`.
 */
export type RateKey = string | Sender;

/** As many counters as each of the two kinds may have at once; one takes about 250 bytes. */
const usualCapacity = 50_000;

type Options = {
  /** Multiplies each limit. */
  scale: number;
  /** Where several processes count together. */
  shared?: SharedRateLimits | undefined;
  capacity?: number;
  now?: () => number;
};

/**
 * Counts uses in fixed windows. People who are signed in and senders who are not are counted apart, each within bounds
 * (rate-windows.ts says how), in this process or in all that share a database (shared-rates.ts).
 */
export function createRateLimits({ scale, shared, capacity = usualCapacity, now = () => performance.now() }: Options) {
  const people = new Windows(capacity, now);
  const senders = new Windows(capacity, now);
  const windowsOf = (key: RateKey) => (typeof key === 'string' ? people : senders);
  const limitOf = (name: Name) => ({ count: limits[name].count * scale, lengthMs: limits[name].seconds * 1000 });
  /** Where each use is counted; undefined: in this process. */
  const sharedFor = (name: Name) => (soonShared.has(name) ? undefined : shared);

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
      if (waitMs > 0) throw tooMany(Math.max(1, Math.ceil(waitMs / 1000)));
    },
    /** How much of it is left, and until when, as far as this process knows. */
    standing(name: 'apiCalls', key: RateKey) {
      const limit = limitOf(name);
      return { limit: limit.count, ...windowsOf(key).standing(placeOf(name, key), limit) };
    },
    /** Takes back a use that came to nothing. */
    giveBack: async (name: Name, key: RateKey) => (sharedFor(name) ?? windowsOf(key)).giveBack(placeOf(name, key)),
    forget: async (name: Name, key: RateKey) => (sharedFor(name) ?? windowsOf(key)).forget(placeOf(name, key)),
    /** How many counters are held. */
    size: () => people.size + senders.size,
    close: async () => shared?.close(),
  };
}

export type RateLimits = ReturnType<typeof createRateLimits>;

function tooMany(seconds: number) {
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
