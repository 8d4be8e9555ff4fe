import type { CreationOptions, NewCredential, Passkey } from '@roster/contracts/passkeys';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { factorAdded, factorRemoved } from '#server/features/auth/second-factor/changes';
import { newRecoveryCodes } from '#server/features/auth/second-factor/recovery-codes';
import type { PasswordLogin } from '#server/features/auth/shared/password-login';
import { userRepository } from '#server/features/auth/shared/repository';
import { secondFactorRepository } from '#server/features/auth/shared/second-factor-repository';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import type { Visitor } from '#server/security/events-repository';
import type { PasswordHashing } from '#server/security/password-hashing';
import type { PasskeyChallenges } from './challenge-repository.ts';
import { type NewPasskey, passkeyRepository } from './passkey-repository.ts';
import type { RelyingParty } from './relying-party.ts';
import type { StartedCeremony } from './sign-in.ts';

const passkeysPerAccount = 20;

type Dependencies = {
  db: Kysely<Database>;
  config: PasswordLogin;
  challenges: PasskeyChallenges;
  party: RelyingParty;
  hashing: Pick<PasswordHashing, 'hash'>;
  /** True if the account can sign in with Google or the like. */
  hasLoginProvider: (trx: Kysely<Database>, userId: number) => Promise<boolean>;
};

type NewPasskeyInput = {
  token: string | undefined;
  name: string;
  credential: NewCredential;
  log: Pick<FastifyBaseLogger, 'warn'>;
};

/** The passkeys of the signed-in user. */
export function ownPasskeyService(dependencies: Dependencies) {
  const { db } = dependencies;
  return {
    list: ({ userId }: Actor) => passkeyRepository(db).list(userId),
    addOptions: (actor: Actor, token: string | undefined) => addOptions(dependencies, actor, token),
    add: (actor: Actor, given: NewPasskeyInput, visitor: Visitor) => add(dependencies, actor, given, visitor),
    rename: (actor: Actor, id: number, name: string) => rename(db, actor, id, name),
    remove: (actor: Actor, id: number, visitor: Visitor) => remove(dependencies, actor, id, visitor),
  };
}

export type OwnPasskeyService = ReturnType<typeof ownPasskeyService>;

/** Without the name that the owner gave it, because administrators see the record. */
const thePasskey = { name: 'Passkey', factor: 'passkey' };

const noSuchPasskey = () => new AppError('not_found', 'This account has no such passkey.');
const tooMany = () =>
  new AppError('conflict', `An account can have ${passkeysPerAccount} passkeys. Remove one that you do not use.`);

async function addOptions(
  { db, challenges, party }: Dependencies,
  actor: Actor,
  token: string | undefined,
): Promise<StartedCeremony<CreationOptions>> {
  const owner = await userRepository(db).byId(actor.userId);
  if (!owner) throw new AppError('not_signed_in', 'Please sign in.');
  const passkeys = await passkeyRepository(db).descriptors(owner.id);
  if (passkeys.length >= passkeysPerAccount) throw tooMany();
  const issued = await challenges.issue(token, { purpose: 'add', userId: owner.id });
  return { options: party.creationOptions(owner, issued.challenge, passkeys), token: issued.token };
}

async function add(
  { db, challenges, party, hashing }: Dependencies,
  { userId, sessionId, recheckAccess }: Actor,
  { token, name, credential, log }: NewPasskeyInput,
  visitor: Visitor,
): Promise<{ passkey: Passkey; recoveryCodes: string[] | null }> {
  const challenge = await challenges.take(token, credential.response.clientDataJSON, { purpose: 'add', userId });
  const made = await party.verifyNew(credential, challenge).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    log.warn({ event: 'passkey_refused', userId, why }, 'new passkey refused');
    throw new AppError('invalid_input', 'This passkey could not be verified. Try again, or use another device.');
  });
  const isFirst = (await secondFactorRepository(db).waysOf(userId)).length === 0;
  const prepared = isFirst ? await newRecoveryCodes(hashing) : undefined;
  return db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    const hasFactor = (await secondFactorRepository(trx).waysOf(userId)).length > 0;
    // The only other factor was removed meanwhile, and its recovery codes with it.
    if (!hasFactor && !prepared) throw new AppError('conflict', 'The account has changed. Try again.');
    const codes = hasFactor ? undefined : prepared;
    const passkey = await store(trx, userId, { ...made, name });
    const changed = { userId, sessionId, visitor, ...thePasskey };
    await factorAdded(trx, changed, { way: 'passkey', codes });
    return { passkey, recoveryCodes: codes?.codes ?? null };
  });
}

async function store(trx: Kysely<Database>, userId: number, made: NewPasskey): Promise<Passkey> {
  const rows = passkeyRepository(trx);
  if ((await rows.list(userId)).length >= passkeysPerAccount) throw tooMany();
  const passkey = await rows.insert(userId, made);
  if (!passkey) throw new AppError('conflict', 'This passkey has already been added.');
  return passkey;
}

async function rename(db: Kysely<Database>, { userId }: Actor, id: number, name: string): Promise<Passkey> {
  const renamed = await passkeyRepository(db).rename(userId, id, name);
  if (!renamed) throw noSuchPasskey();
  return renamed;
}

async function remove(
  { db, config, hasLoginProvider }: Dependencies,
  actor: Actor,
  id: number,
  visitor: Visitor,
): Promise<void> {
  const { userId, sessionId, recheckAccess } = actor;
  await db.transaction().execute(async (trx) => {
    // Locks the account: two concurrent removals must not each count on the other’s way in.
    await recheckAccess(trx);
    const rows = passkeyRepository(trx);
    const name = await rows.remove(userId, id);
    if (name === undefined) throw noSuchPasskey();
    const user = await userRepository(trx).byId(userId);
    const canEnter =
      !config.passwordLogin ||
      user?.passwordHash != null ||
      (await rows.list(userId)).length > 0 ||
      (await hasLoginProvider(trx, userId));
    if (!canEnter)
      throw new AppError(
        'last_sign_in_method',
        'This passkey is the only way into this account. Add another one, or set a password first.',
      );
    await factorRemoved(trx, { userId, sessionId, visitor, ...thePasskey });
  });
}
