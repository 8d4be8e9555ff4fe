import type { Rate } from '@roster/contracts/endpoint';
import { AppError } from '../errors.ts';

type Limit = { count: number; seconds: number };

const minute = 60;
const hour = 3600;

/**
 * security-requirements section 16. `failedSignIn` counts sign-ins that did not succeed, `confirmationMail` mails to the
 * address of an account, which need not be its owner's; the rest count calls.
 */
const limits: Record<Rate | 'failedSignIn' | 'confirmationMail', Limit> = {
  default: { count: 300, seconds: minute },
  signIn: { count: 30, seconds: 5 * minute },
  failedSignIn: { count: 5, seconds: 15 * minute },
  confirmationMail: { count: 3, seconds: hour },
  register: { count: 5, seconds: hour },
  resetRequest: { count: 10, seconds: hour },
  resetAttempt: { count: 10, seconds: hour },
  keyUse: { count: 10, seconds: minute },
  messages: { count: 20, seconds: minute },
  uploads: { count: 60, seconds: minute },
  jobs: { count: 10, seconds: minute },
};

type Window = { used: number; endsAt: number };

/**
 * Counts uses in fixed windows on the monotonic clock. The memory is bounded: with `maxKeys` windows open at once, new
 * keys are refused rather than old ones forgotten.
 */
export function createRates(scale: number, maxKeys = 100_000, now: () => number = () => performance.now()) {
  const windows = new Map<string, Window>();

  function windowOf(name: keyof typeof limits, key: string): Window {
    const id = `${name}|${key}`;
    const known = windows.get(id);
    if (known && known.endsAt > now()) return known;
    if (known) windows.delete(id);
    if (windows.size >= maxKeys) forgetEnded();
    if (windows.size >= maxKeys) throw tooMany(minute);
    const fresh = { used: 0, endsAt: now() + limits[name].seconds * 1000 };
    windows.set(id, fresh);
    return fresh;
  }

  function forgetEnded() {
    for (const [id, { endsAt }] of windows) if (endsAt <= now()) windows.delete(id);
  }

  const isFull = (name: keyof typeof limits, window: Window) => window.used >= limits[name].count * scale;
  const secondsLeft = (window: Window) => Math.max(1, Math.ceil((window.endsAt - now()) / 1000));

  return {
    /** Counts one use. @throws rate_limited with the seconds to wait */
    use(name: keyof typeof limits, key: string) {
      const window = windowOf(name, key);
      if (isFull(name, window)) throw tooMany(secondsLeft(window));
      window.used++;
    },
    /** Takes back a use that came to nothing. */
    giveBack(name: keyof typeof limits, key: string) {
      const window = windowOf(name, key);
      window.used = Math.max(0, window.used - 1);
    },
    forget(name: keyof typeof limits, key: string) {
      windows.delete(`${name}|${key}`);
    },
  };
}

export type Rates = ReturnType<typeof createRates>;

function tooMany(seconds: number) {
  const wait = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return new AppError('rate_limited', `Too many attempts. Please wait ${wait} and try again.`, {
    retryAfterSeconds: seconds,
  });
}
