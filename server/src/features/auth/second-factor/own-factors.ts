import type { SecondFactorState } from '@roster/contracts/second-factor';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { type UserRecord, userRepository } from '#server/features/auth/shared/repository';
import { secondFactorRepository } from '#server/features/auth/shared/second-factor-repository';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import { secondFactorMailJob } from '#server/mail/job';
import type { Actor } from '#server/security/actor';
import { encryptWithDataKey } from '#server/security/encryption';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import type { PasswordHashing } from '#server/security/password-hashing';
import { secondFactorDue, secondFactorPolicyRepository } from '#server/security/second-factor-policy-repository';
import { Secret } from '#server/security/secret';
import type { Vault } from '#server/security/vault';
import { appRepository } from './app-repository.ts';
import { factorAdded, factorRemoved } from './changes.ts';
import { recoveryCodeRepository } from './recovery-code-repository.ts';
import { newRecoveryCodes } from './recovery-codes.ts';
import { appUri, matchingStep, newAppSecret } from './totp.ts';

type Dependencies = { db: Kysely<Database>; vault: Vault; hashing: PasswordHashing };

const theApp = { name: 'Authenticator app', factor: 'authenticator app' };
const purpose = 'second-factor';

/** Authenticator app and recovery codes of the signed-in user. */
export function ownFactorService(dependencies: Dependencies) {
  return {
    state: ({ userId }: Actor) => state(dependencies.db, userId),
    startApp: (actor: Actor) => startApp(dependencies, actor),
    confirmApp: (actor: Actor, code: string, visitor: Visitor) => confirmApp(dependencies, actor, code, visitor),
    removeApp: (actor: Actor, visitor: Visitor) => removeApp(dependencies.db, actor, visitor),
    newRecoveryCodes: (actor: Actor, visitor: Visitor) => replaceRecoveryCodes(dependencies, actor, visitor),
  };
}

export type OwnFactorService = ReturnType<typeof ownFactorService>;

const notSignedIn = () => new AppError('not_signed_in', 'Please sign in.');

async function findUser(db: Kysely<Database>, userId: number): Promise<UserRecord> {
  const user = await userRepository(db).byId(userId);
  if (!user) throw notSignedIn();
  return user;
}

async function state(db: Kysely<Database>, userId: number): Promise<SecondFactorState> {
  const user = await findUser(db, userId);
  const app = await appRepository(db).find(userId);
  const passkeys = await appRepository(db).countPasskeys(userId);
  const due = secondFactorDue(await secondFactorPolicyRepository(db).stored(), user);
  const hasFactor = app !== undefined || passkeys > 0;
  return {
    app: app ? { addedAt: app.addedAt, lastUsedAt: app.lastUsedAt } : null,
    passkeys,
    recoveryCodesLeft: await recoveryCodeRepository(db).countUnused(userId),
    required: due !== null,
    dueAt: hasFactor || due === null ? null : due.toISOString(),
  };
}

const hasApp = () => new AppError('conflict', 'This account already has an authenticator app. Remove it first.');

async function startApp({ db, vault }: Dependencies, { userId }: Actor) {
  const user = await findUser(db, userId);
  if (await appRepository(db).find(userId)) throw hasApp();
  const secret = newAppSecret();
  const sealed = await encryptWithDataKey({ db, vault }, userId, new Secret(secret), purpose);
  await appRepository(db).startSetup(userId, sealed);
  return { secret, uri: appUri(secret, user.email) };
}

async function confirmApp({ db, vault, hashing }: Dependencies, actor: Actor, code: string, visitor: Visitor) {
  const { userId, sessionId, recheckAccess } = actor;
  const setup = await appRepository(db).findSetup(userId);
  if (!setup) throw new AppError('conflict', 'This set-up has expired. Start again.');
  const secret = vault.openProviderKey(userId, setup.wrapped, setup.secret, purpose);
  const step = matchingStep(secret.reveal(), code, Date.now());
  if (step === null) {
    const message = 'The code is incorrect. Check the time of your device, and enter the next code.';
    throw new AppError('invalid_input', message, { fields: { code: message } });
  }
  const isFirst = (await secondFactorRepository(db).waysOf(userId)).length === 0;
  const codes = isFirst ? await newRecoveryCodes(hashing) : undefined;
  await db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    if (!(await appRepository(trx).takeSetup(userId, setup.secret)) || (await appRepository(trx).find(userId)))
      throw hasApp();
    await appRepository(trx).insert(userId, { secret: setup.secret, step });
    await factorAdded(trx, { userId, sessionId, visitor, ...theApp }, { way: 'totp', codes });
  });
  return { recoveryCodes: codes?.codes ?? null };
}

function removeApp(db: Kysely<Database>, { userId, sessionId, recheckAccess }: Actor, visitor: Visitor): Promise<void> {
  return db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    if (!(await appRepository(trx).remove(userId)))
      throw new AppError('not_found', 'This account has no authenticator app.');
    await factorRemoved(trx, { userId, sessionId, visitor, ...theApp });
  });
}

async function replaceRecoveryCodes({ db, hashing }: Dependencies, { userId, recheckAccess }: Actor, visitor: Visitor) {
  const { codes, rows } = await newRecoveryCodes(hashing);
  await db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    if ((await secondFactorRepository(trx).waysOf(userId)).length === 0)
      throw new AppError('conflict', 'Recovery codes need a second factor. Set one up first.');
    await recoveryCodeRepository(trx).replace(userId, rows);
    await securityEventRepository(trx).record({ userId, event: 'recovery_codes_made', by: 'self', visitor });
    await enqueue(trx, secondFactorMailJob, { template: 'second_factor', userId, change: 'recovery_codes_made' });
  });
  return { recoveryCodes: codes };
}
