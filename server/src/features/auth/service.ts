import { timingSafeEqual } from 'node:crypto';
import type { User } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Config } from '../../config.ts';
import { holdAccounts } from '../../db/accounts-lock.ts';
import type { Database } from '../../db/schema.ts';
import { AppError } from '../../errors.ts';
import type { Rates } from '../../http/rates.ts';
import type { Visitor } from '../../security/events-repository.ts';
import type { PasswordHashing } from './password-hashing.ts';
import { refuseGuessable } from './password-rules.ts';
import { sessionRepository, type UserRecord, userRepository } from './repository.ts';

/** After this many wrong passwords in a row only a device that is known, or a reset link, gets in. */
const failuresUntilLocked = 100;

type Dependencies = {
  db: Kysely<Database>;
  config: Pick<Config, 'registration' | 'loopback'>;
  hashing: PasswordHashing;
  rates: Rates;
  /** Asked of the first account where the installation is not on loopback. */
  setupCode: string;
};

export function toUser(user: UserRecord): User {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    status: user.status,
    hasPassword: user.passwordHash !== null,
    emailVerified: user.emailVerified,
    createdAt: user.createdAt,
  };
}

export function authService({ db, config, hashing, rates, setupCode }: Dependencies) {
  const users = userRepository(db);
  const sessions = sessionRepository(db);
  const needsSetupCode = async () => !config.loopback && (await users.isEmpty());

  function checkSetupCode(given: string | undefined) {
    const same =
      given !== undefined &&
      given.length === setupCode.length &&
      timingSafeEqual(Buffer.from(given.padEnd(64)), Buffer.from(setupCode.padEnd(64)));
    if (!same)
      throw new AppError(
        'setup_code_required',
        given === undefined || given === ''
          ? 'The first account needs the set-up code that the server printed when it started.'
          : 'The set-up code is not right. The server printed it when it started.',
        { fields: { setupCode: 'Enter the set-up code from the server’s output' } },
      );
  }

  const closed = () =>
    new AppError('registration_closed', 'Registration is closed. Ask an administrator for an account.');
  const wrong = () => new AppError('invalid_credentials', 'Invalid email or password. Please try again.');

  return {
    needsSetupCode,
    async register(input: { email: string; password: string; setupCode?: string | undefined }): Promise<User> {
      if (config.registration === 'closed' && !(await users.isEmpty())) throw closed();
      if (await needsSetupCode()) checkSetupCode(input.setupCode);
      await refuseGuessable(input.password, input.email);
      const passwordHash = await hashing.hash(input.password);
      const user = await db.transaction().execute(async (trx) => {
        const inTransaction = userRepository(trx);
        await holdAccounts(trx);
        const role = (await inTransaction.isEmpty()) ? 'Admin' : 'Editor';
        // Another first account may have come in while this password was hashed.
        if (role !== 'Admin' && config.registration === 'closed') throw closed();
        return inTransaction.insert({ email: input.email, passwordHash, role, createdAt: new Date().toISOString() });
      });
      if (!user) throw new AppError('email_taken', 'This email might already be in use.');
      return toUser(user);
    },

    /** The same answer, and the same work, for an unknown address, a wrong password and an account without one. */
    async signIn(input: { email: string; password: string }, visitor: Visitor): Promise<User> {
      const rateKey = `${input.email}|${visitor.ipAddress}`;
      // Counted before the answer is known and taken back after a success: many at once get no more tries than one by one.
      rates.use('failedSignIn', rateKey);
      const user = await users.byEmail(input.email);
      const matches = await hashing.verify(user?.passwordHash ?? null, input.password).catch((error: unknown) => {
        rates.giveBack('failedSignIn', rateKey);
        throw error;
      });
      if (!user || !matches) {
        if (user) await users.countFailure(user.id);
        throw wrong();
      }
      const isLocked =
        user.failedSignIns >= failuresUntilLocked && !(await sessions.knowsAddress(user.id, visitor.ipAddress));
      if (isLocked || user.status !== 'Active') throw wrong();
      rates.forget('failedSignIn', rateKey);
      if (user.failedSignIns > 0) await users.clearFailures(user.id);
      if (user.passwordHash && hashing.isOutdated(user.passwordHash))
        await users.setPasswordHash(user.id, await hashing.hash(input.password));
      return toUser(user);
    },

    async user(userId: number): Promise<User> {
      const user = await users.byId(userId);
      if (!user) throw new AppError('not_signed_in', 'Please sign in.');
      return toUser(user);
    },
  };
}

export type AuthService = ReturnType<typeof authService>;
