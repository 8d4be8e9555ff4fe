import { AppError } from '#server/lib/errors';

/** Argon2id; memory in KiB. */
export type HashingCost = { memoryCost: number; timeCost: number; parallelism: number };
export const productionCost: HashingCost = { memoryCost: 64 * 1024, timeCost: 3, parallelism: 1 };

/** Hashing takes Node's background threads, of which there are four; files and host names need the other two. */
const atOnce = 2;
const waitingAllowed = 32;

/** Loaded with the first sign-in: an idle server needs no memory for it. */
const argon2 = () => import('@node-rs/argon2');

/**
 * Hashes and checks passwords, at most two at once: each takes 64 MiB and a core for about 75 ms. More than 32 waiting
 * are refused, so that a flood of sign-ins cannot take the memory of the server.
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
    /** Without a stored hash the same work is done against one that nothing matches: the time tells nothing. */
    async verify(storedHash: string | null, password: string): Promise<boolean> {
      // Waited for whether it is needed or not, since the first one takes its time.
      unknownUserHash ??= hashOf('nobody has this password');
      const unknown = await unknownUserHash;
      const { verify } = await argon2();
      const matches = await limited(() => verify(storedHash ?? unknown, normal(password)));
      return storedHash !== null && matches;
    },
    /** Whether a stored hash was made at another cost than today's. */
    isOutdated(storedHash: string): boolean {
      const { memoryCost, timeCost, parallelism } = cost;
      return !storedHash.includes(`$m=${memoryCost},t=${timeCost},p=${parallelism}$`);
    },
  };
}

export type PasswordHashing = ReturnType<typeof createPasswordHashing>;
