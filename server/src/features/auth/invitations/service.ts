import type { User } from '@roster/contracts/auth';
import { Id } from '@roster/contracts/endpoint';
import type { invitations as api, Invitation } from '@roster/contracts/invitations';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Config } from '#server/config/config';
import { lockAccounts } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { completeSignIn, newToken, type SignInOutcome, tokenHash } from '#server/features/auth/shared/complete-sign-in';
import { invitationRepository } from '#server/features/auth/shared/invitation-repository';
import { type PasswordLogin, requirePasswordLogin } from '#server/features/auth/shared/password-login';
import { refuseGuessable } from '#server/features/auth/shared/password-rules';
import { findInvitation, invitationHash, redeemInvitation } from '#server/features/auth/shared/redeem-invitation';
import { userRepository } from '#server/features/auth/shared/repository';
import { toUser } from '#server/features/auth/shared/user';
import { createCursors, toPage } from '#server/http/paging';
import { requireFresh } from '#server/http/sessions/sessions';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import { invitationMailJob } from '#server/mail/job';
import type { Actor } from '#server/security/actor';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import type { PasswordHashing } from '#server/security/password-hashing';
import { invitationLink } from './links.ts';

type Dependencies = {
  db: Kysely<Database>;
  config: Pick<Config, 'mail' | 'publicUrl' | 'registration' | 'registrationDomains'> & PasswordLogin;
  hashing: Pick<PasswordHashing, 'hash'>;
  /** Queues the mail that confirms the address. */
  mailConfirmation: (trx: Kysely<Database>, userId: number) => Promise<void>;
};

type New = z.output<typeof api.create.body>;
type SentInvitation = z.output<typeof api.create.output>;

const maxPending = 1000;

const cursors = createCursors(Id);

const notFound = () => new AppError('not_found', 'This invitation no longer exists. It was accepted or revoked.');

const refusedEmail = (code: 'email_taken' | 'conflict', message: string) =>
  new AppError(code, message, { fields: { email: message } });

/** Invitations as administrators manage them, and as the invited person sees and accepts them. */
export function invitationService(dependencies: Dependencies) {
  const { db, config } = dependencies;
  return {
    async list({ limit, cursor }: z.output<typeof api.list.query>) {
      const before = cursor === undefined ? undefined : cursors.decode(cursor);
      const found = await invitationRepository(db).page(limit + 1, before);
      return toPage(found, limit, ({ id }) => cursors.encode(id));
    },
    create: (actor: Actor, input: New, visitor: Visitor): Promise<SentInvitation> =>
      create(dependencies, actor, input, visitor),
    resend: (actor: Actor, id: number, visitor: Visitor): Promise<SentInvitation> =>
      resend(dependencies, actor, id, visitor),
    revoke: (actor: Actor, id: number, visitor: Visitor): Promise<void> =>
      db.transaction().execute(async (trx) => {
        await lockAccounts(trx);
        await actor.recheckAccess(trx);
        const invitation = await invitationRepository(trx).byId(id);
        if (!invitation || !(await invitationRepository(trx).revoke(id))) throw notFound();
        const event = { userId: actor.userId, event: 'invitation_revoked', by: 'self', visitor } as const;
        await securityEventRepository(trx).record({ ...event, detail: invitation.role });
      }),
    async read(token: string): Promise<z.output<typeof api.read.output>> {
      const { email, role, invitedBy, expiresAt } = await findInvitation(db, config, invitationHash(token));
      return { email, role, invitedBy, expiresAt };
    },
    /** For the flow at a login provider. @throws what `read` throws */
    async hashOf(token: string): Promise<string> {
      const hash = invitationHash(token);
      await findInvitation(db, config, hash);
      return hash ?? '';
    },
    accept: (input: z.output<typeof api.accept.body>, visitor: Visitor) => accept(dependencies, input, visitor),
  };
}

export type InvitationService = ReturnType<typeof invitationService>;

const mailsLinks = ({ config }: Dependencies) => config.mail.smtpUrl !== undefined;

/** Everybody who sees a link can open its account, and an administrator can do everything. */
function requireFreshFor(dependencies: Dependencies, actor: Actor, role: Invitation['role']) {
  if (role === 'Admin' || !mailsLinks(dependencies)) requireFresh(actor);
}

/** With mail the link is made when the mail is sent, so that none is ever stored. */
function linkOf(dependencies: Dependencies) {
  if (mailsLinks(dependencies)) return { hash: null, link: null };
  const token = newToken();
  return { hash: tokenHash(token), link: invitationLink(dependencies.config.publicUrl, token) };
}

async function create(
  dependencies: Dependencies,
  actor: Actor,
  { email, role, expiresInDays: days }: New,
  visitor: Visitor,
): Promise<SentInvitation> {
  requireFreshFor(dependencies, actor, role);
  const { hash, link } = linkOf(dependencies);
  const invitation = await dependencies.db.transaction().execute(async (trx) => {
    await lockAccounts(trx);
    await actor.recheckAccess(trx);
    const rows = invitationRepository(trx);
    if (await userRepository(trx).byEmail(email))
      throw refusedEmail('email_taken', 'An account with this email address already exists.');
    const earlier = await rows.byEmail(email);
    if (earlier?.state === 'open')
      throw refusedEmail('conflict', 'This address has an open invitation already. Resend it, or revoke it first.');
    if (earlier) await rows.revoke(earlier.id);
    if ((await rows.countPending()) >= maxPending)
      throw new AppError('conflict', `There are already ${maxPending} open invitations. Revoke some first.`);
    const id = await rows.insert({ email, role, days, invitedBy: actor.userId, tokenHash: hash });
    return noteSent(trx, dependencies, { id, version: 1, actor, visitor, detail: role });
  });
  return { invitation, link };
}

async function resend(dependencies: Dependencies, actor: Actor, id: number, visitor: Visitor): Promise<SentInvitation> {
  const { hash, link } = linkOf(dependencies);
  const invitation = await dependencies.db.transaction().execute(async (trx) => {
    await lockAccounts(trx);
    await actor.recheckAccess(trx);
    const rows = invitationRepository(trx);
    const earlier = await rows.byId(id);
    if (!earlier) throw notFound();
    const { email, role, days } = earlier;
    requireFreshFor(dependencies, actor, role);
    if (await userRepository(trx).byEmail(email))
      throw new AppError(
        'email_taken',
        'An account with this email address has been created in the meantime. Revoke the invitation.',
      );
    const version = await rows.sendAgain(id, { days, invitedBy: actor.userId, tokenHash: hash });
    if (version === undefined) throw notFound();
    return noteSent(trx, dependencies, { id, version, actor, visitor, detail: `${role}, sent again` });
  });
  return { invitation, link };
}

type NewlySent = { id: number; version: number; actor: Actor; visitor: Visitor; detail: string };

/** Queues the mail and records what was done, without the address, which is somebody else’s. */
async function noteSent(
  trx: Kysely<Database>,
  dependencies: Dependencies,
  { id, version, actor, visitor, detail }: NewlySent,
): Promise<Invitation> {
  const isMailed = mailsLinks(dependencies);
  if (isMailed) await enqueue(trx, invitationMailJob, { template: 'invited', invitationId: id, version });
  await securityEventRepository(trx).record({
    userId: actor.userId,
    event: 'invitation_sent',
    by: 'self',
    visitor,
    detail: isMailed ? detail : `${detail}, link shown`,
  });
  const invitation = await invitationRepository(trx).byId(id);
  if (!invitation) throw notFound();
  return invitation;
}

async function accept(
  { db, config, hashing, mailConfirmation }: Dependencies,
  { token, name, password }: z.output<typeof api.accept.body>,
  visitor: Visitor,
): Promise<{ user: User; outcome: SignInOutcome }> {
  requirePasswordLogin(config);
  const hash = invitationHash(token);
  // Checked before hashing and used up with the account, so that a rejected password does not cost the link.
  const { email } = await findInvitation(db, config, hash);
  if (password !== undefined) await refuseGuessable(password, email);
  // The session is fresh, so that a passkey can be added at once; a reset link sets a password if that fails.
  const passwordHash = password === undefined ? null : await hashing.hash(password);
  return db.transaction().execute(async (trx) => {
    const account = { name, passwordHash, isAddressProven: false, visitor, detail: 'Invitation' };
    const user = await redeemInvitation(trx, config, hash, account);
    if (!user.emailVerified) await mailConfirmation(trx, user.id);
    const signIn = { userId: user.id, visitor, method: 'Invitation' };
    return {
      user: toUser(user, config),
      outcome: await completeSignIn(trx, { ...signIn, secondFactor: 'needed-if-set' }),
    };
  });
}
