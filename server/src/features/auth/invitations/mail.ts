import type { Kysely } from 'kysely';
import type { Config } from '#server/config/config';
import type { Database } from '#server/db/schema';
import { newToken, tokenHash } from '#server/features/auth/shared/complete-sign-in';
import { invitationRepository } from '#server/features/auth/shared/invitation-repository';
import { userRepository } from '#server/features/auth/shared/repository';
import type { MailPayload } from '#server/mail/job';
import type { Message } from '#server/mail/messages';
import type { MailTransport } from '#server/mail/transport';
import { invitationLink } from './links.ts';

type Dependencies = {
  db: Kysely<Database>;
  transport: Pick<MailTransport, 'delivers'>;
  config: Pick<Config, 'publicUrl'>;
  send: (to: string, message: Message) => Promise<void>;
};

/** Makes the link and mails it. Does nothing if the invitation has ended, or was sent again. */
export async function mailInvitation(
  { db, transport, config: { publicUrl }, send }: Dependencies,
  { invitationId, version }: Extract<MailPayload, { template: 'invited' }>,
) {
  const token = newToken();
  const stored = await invitationRepository(db).storeMailed(
    invitationId,
    version,
    tokenHash(token),
    transport.delivers,
  );
  const inviter = stored?.invitedBy == null ? undefined : await userRepository(db).byId(stored.invitedBy);
  if (!stored || !inviter) return;
  await send(stored.email, {
    about: 'invited',
    by: inviter.name ?? inviter.email,
    site: publicUrl.origin,
    link: invitationLink(publicUrl, token),
    expiresAt: stored.expiresAt,
  });
}
