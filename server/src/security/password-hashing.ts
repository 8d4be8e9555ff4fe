import { AppError } from '#server/lib/errors';

/** Cost of Argon2id; memory in KiB. */
export type HashingCost = { memoryCost: number; timeCost: number; parallelism: number };
export const productionCost: HashingCost = { memoryCost: 64 * 1024, timeCost: 3, parallelism: 1 };

/** Hashing occupies Node’s background threads, of which there are four; two remain for files and host names. */
const atOnce = 2;
const waitingAllowed = 32;

/** Loaded with the first sign-in to save memory on an idle server. */
const argon2 = () => import('@node-rs/argon2');

/**
 * Hashes and verifies passwords, at most two at a time: each takes 64 MiB and one core for about 75 ms. Rejects
 * requests while 32 are waiting, so that a flood of sign-ins cannot exhaust memory.
 */
export function createPasswordHashing(cost: HashingCost = productionCost) {
  let running = 0;
  const waiting: (() => void)[] = [];
  let unknownUserHash: Promise<string> | undefined;

  async function limited<T>(work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) {
      if (waiting.length >= waitingAllowed)
        throw new AppError('unavailable', 'Too many people are signing in right now. Please try again in a moment.', {
          retryAfterSeconds: 2,
        });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  }

  const hashOf = async (password: string) => (await argon2()).hash(password, cost);
  const normal = (password: string) => password.normalize('NFC');

  return {
    hash: (password: string) => limited(() => hashOf(normal(password))),
    /** Without a stored hash, does the same work against one that nothing matches, so that timing reveals nothing. */
    async verify(storedHash: string | null, password: string): Promise<boolean> {
      // Awaited even if it is not needed, because the first one takes time.
      unknownUserHash ??= hashOf('nobody has this password');
      const unknown = await unknownUserHash;
      const { verify } = await argon2();
      const matches = await limited(() => verify(storedHash ?? unknown, normal(password)));
      return storedHash !== null && matches;
    },
    /** True if a stored hash was made at another cost than the current one. */
    isOutdated(storedHash: string): boolean {
      const { memoryCost, timeCost, parallelism } = cost;
      return !storedHash.includes(`$m=${memoryCost},t=${timeCost},p=${parallelism}$`);
    },
  };
}

export type PasswordHashing = ReturnType<typeof createPasswordHashing>;
