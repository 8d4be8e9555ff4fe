import { Id } from '@roster/contracts/endpoint';
import type { invitations as api, Invitation } from '@roster/contracts/invitations';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Config } from '#server/config/config';
import { lockAccounts } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { newToken, tokenHash } from '#server/features/auth/shared/complete-sign-in';
import { invitationRepository } from '#server/features/auth/shared/invitation-repository';
import { userRepository } from '#server/features/auth/shared/repository';
import { createCursors, toPage } from '#server/http/paging';
import { requireFresh } from '#server/http/sessions/sessions';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import { invitationMailJob } from '#server/mail/job';
import type { Actor } from '#server/security/actor';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import { invitationLink } from './links.ts';

type Dependencies = { db: Kysely<Database>; config: Pick<Config, 'mail' | 'publicUrl'> };

type New = z.output<typeof api.create.body>;
type Sent = z.output<typeof api.create.output>;

const maxPending = 1000;

const cursors = createCursors(Id);

const notFound = () => new AppError('not_found', 'This invitation no longer exists. It was accepted or revoked.');

const refusedEmail = (code: 'email_taken' | 'conflict', message: string) =>
  new AppError(code, message, { fields: { email: message } });

/** Invitations as administrators manage them. */
export function invitationService(dependencies: Dependencies) {
  const { db } = dependencies;
  return {
    async list({ limit, cursor }: z.output<typeof api.list.query>) {
      const before = cursor === undefined ? undefined : cursors.decode(cursor);
      const found = await invitationRepository(db).page(limit + 1, before);
      return toPage(found, limit, ({ id }) => cursors.encode(id));
    },
    create: (actor: Actor, input: New, visitor: Visitor): Promise<Sent> => create(dependencies, actor, input, visitor),
    resend: (actor: Actor, id: number, visitor: Visitor): Promise<Sent> => resend(dependencies, actor, id, visitor),
    revoke: (actor: Actor, id: number, visitor: Visitor): Promise<void> =>
      db.transaction().execute(async (trx) => {
        await lockAccounts(trx);
        await actor.stillMay(trx);
        const invitation = await invitationRepository(trx).byId(id);
        if (!invitation || !(await invitationRepository(trx).revoke(id))) throw notFound();
        const event = { userId: actor.userId, event: 'invitation_revoked', by: 'self', visitor } as const;
        await securityEventRepository(trx).record({ ...event, detail: invitation.role });
      }),
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
): Promise<Sent> {
  requireFreshFor(dependencies, actor, role);
  const { hash, link } = linkOf(dependencies);
  const invitation = await dependencies.db.transaction().execute(async (trx) => {
    await lockAccounts(trx);
    await actor.stillMay(trx);
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

async function resend(dependencies: Dependencies, actor: Actor, id: number, visitor: Visitor): Promise<Sent> {
  const { hash, link } = linkOf(dependencies);
  const invitation = await dependencies.db.transaction().execute(async (trx) => {
    await lockAccounts(trx);
    await actor.stillMay(trx);
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
