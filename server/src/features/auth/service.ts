import { createHash, timingSafeEqual } from 'node:crypto';
import type { User } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { sessionRepository } from '#server/http/sessions/session-repository';
import { AppError } from '#server/lib/errors';
import type { SignedInUser } from '#server/security/actor';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import type { PasswordHashing } from '#server/security/password-hashing';
import type { EmailAddressService } from './email-address.ts';
import { auditFailedLogin } from './shared/audit-failed-login.ts';
import { completeSignIn, type SignInOutcome } from './shared/complete-sign-in.ts';
import { failedSignInKey } from './shared/confirm-password.ts';
import { createAccount, refuseUninvited } from './shared/create-account.ts';
import { type PasswordLogin, requirePasswordLogin } from './shared/password-login.ts';
import { refuseGuessable } from './shared/password-rules.ts';
import { type UserRecord, userRepository } from './shared/repository.ts';
import { toUser } from './shared/user.ts';

/** After this many consecutive wrong passwords, only a known IP address or a reset link gets in. */
const failuresUntilLocked = 100;

type Dependencies = {
  db: Kysely<Database>;
  config: Pick<Config, 'registration' | 'registrationDomains' | 'loopback'> & PasswordLogin;
  hashing: PasswordHashing;
  rates: RateLimits;
  emailAddress: Pick<EmailAddressService, 'mailConfirmation'>;
  /** Required for the first account unless the installation is on loopback. */
  setupCode: string;
};

type Credentials = { email: string; password: string };
type Registration = Credentials & { setupCode?: string | undefined };

export function authService(dependencies: Dependencies) {
  const { db, config } = dependencies;
  return {
    hasAccounts: () => hasAccounts(db),
    /** The first visitor registers. */
    isNewInstallation: async () => config.registration === 'open' && config.passwordLogin && !(await hasAccounts(db)),
    needsSetupCode: () => needsSetupCode(dependencies),
    register: (input: Registration, visitor: Visitor) => register(dependencies, input, visitor),
    /** `remembered`: the token of a remembered device. */
    signIn: (input: Credentials, visitor: Visitor, remembered?: string) =>
      signIn(dependencies, input, visitor, remembered),
    rename: ({ userId }: SignedInUser, name: string, visitor: Visitor) => rename(dependencies, userId, name, visitor),
    async user(userId: number): Promise<User> {
      const user = await userRepository(db).byId(userId);
      if (!user) throw notSignedIn();
      return toUser(user, config);
    },
  };
}

export type AuthService = ReturnType<typeof authService>;

const notSignedIn = () => new AppError('not_signed_in', 'Please sign in.');

const hasAccounts = async (db: Kysely<Database>) => !(await userRepository(db).isEmpty());

const needsSetupCode = async ({ db, config }: Pick<Dependencies, 'db' | 'config'>) =>
  !config.loopback && !(await hasAccounts(db));

function checkSetupCode(given: string | undefined, setupCode: string) {
  // Hashes have the same length whatever was typed.
  const hashOf = (code: string) => createHash('sha256').update(code).digest();
  if (given === undefined || !timingSafeEqual(hashOf(given), hashOf(setupCode)))
    throw new AppError(
      'setup_code_required',
      given === undefined || given === ''
        ? 'To create the first account, enter the set-up code that the server printed when it started.'
        : 'The set-up code is incorrect. The server printed it when it started.',
      { fields: { setupCode: 'Enter the set-up code from the server’s output' } },
    );
}

async function register(dependencies: Dependencies, input: Registration, visitor: Visitor): Promise<User> {
  const { db, config, hashing, emailAddress, setupCode } = dependencies;
  requirePasswordLogin(config);
  if (await hasAccounts(db)) refuseUninvited(config, input.email);
  const isFirst = await needsSetupCode(dependencies);
  if (isFirst) checkSetupCode(input.setupCode, setupCode);
  await refuseGuessable(input.password, input.email);
  const passwordHash = await hashing.hash(input.password);
  // The account that was the first one may have been deleted while this password was hashed.
  const { registration, registrationDomains, loopback } = config;
  const conditions = { registration, registrationDomains, mayBeFirst: loopback || isFirst, visitor };
  const user = await db.transaction().execute(async (trx) => {
    const account = { email: input.email, name: null, passwordHash, emailVerified: false };
    const made = await createAccount(trx, account, conditions);
    if (made) await emailAddress.mailConfirmation(trx, made.id);
    return made;
  });
  if (!user) throw new AppError('email_taken', 'This email might already be in use.');
  return toUser(user, config);
}

const wrong = () => new AppError('invalid_credentials', 'Invalid email or password. Please try again.');

/** Responds the same, and does the same work, for an unknown address, a wrong password and an account without one. */
async function signIn(
  { db, config, hashing, rates }: Dependencies,
  input: Credentials,
  visitor: Visitor,
  remembered: string | undefined,
): Promise<{ user: User; outcome: SignInOutcome }> {
  requirePasswordLogin(config);
  const rateKey = failedSignInKey(input.email, visitor);
  // Counted before verifying and taken back after a success, so that parallel attempts get no more tries than
  // sequential ones.
  await rates.use('failedSignIn', rateKey);
  const user = await userRepository(db).byEmail(input.email);
  const provenHash = user?.passwordHash ?? null;
  const matches = await hashing.verify(provenHash, input.password).catch(async (error: unknown) => {
    await rates.giveBack('failedSignIn', rateKey);
    throw error;
  });
  if (!user || provenHash === null || !matches) {
    await noteFailure(db, user, visitor);
    throw wrong();
  }
  const refusal = await refusalOf(db, user, visitor);
  if (refusal) {
    await noteRefusal(db, user.id, visitor, refusal);
    throw wrong();
  }
  const storedHash = hashing.isOutdated(provenHash) ? await hashing.hash(input.password) : provenHash;
  const outcome = await db.transaction().execute(async (trx) => {
    if (!(await userRepository(trx).admit(user.id, provenHash, storedHash))) throw wrong();
    const signIn = { userId: user.id, visitor, method: 'Password', remembered };
    return completeSignIn(trx, { ...signIn, secondFactor: 'needed-if-set' });
  });
  await rates.forget('failedSignIn', rateKey);
  return { user: toUser(user, config), outcome };
}

async function refusalOf(db: Kysely<Database>, { id, status, failedSignIns }: UserRecord, { ipAddress }: Visitor) {
  if (status !== 'Active') return 'inactive account';
  const isLocked = failedSignIns >= failuresUntilLocked && !(await sessionRepository(db).knowsAddress(id, ipAddress));
  return isLocked ? 'locked account' : undefined;
}

function noteRefusal(db: Kysely<Database>, userId: number, visitor: Visitor, why: string) {
  return db
    .transaction()
    .execute((trx) =>
      auditFailedLogin(trx, { userId, event: 'sign_in_failed', visitor, detail: `Correct password, ${why}` }),
    );
}

/** Recorded only until the account is locked, so that further guesses cannot fill the record. */
function noteFailure(db: Kysely<Database>, user: UserRecord | undefined, visitor: Visitor) {
  return db.transaction().execute(async (trx) => {
    const events = securityEventRepository(trx);
    if (!user) return events.recordNothing();
    await userRepository(trx).countFailure(user.id);
    if (user.failedSignIns < failuresUntilLocked)
      await events.record({ userId: user.id, event: 'sign_in_failed', by: 'self', visitor });
  });
}

function rename({ db, config }: Dependencies, userId: number, name: string, visitor: Visitor): Promise<User> {
  return db.transaction().execute(async (trx) => {
    const user = await userRepository(trx).lock(userId);
    if (!user) throw notSignedIn();
    if (name !== user.name) {
      await userRepository(trx).setName(userId, name);
      const event = { userId, event: 'details_changed', by: 'self', visitor, detail: 'Name' } as const;
      await securityEventRepository(trx).record(event);
    }
    return toUser({ ...user, name }, config);
  });
}
