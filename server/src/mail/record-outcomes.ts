import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { lastMailFailure, lastMailSent, remember } from '#server/db/timestamps-repository';
import { type MailTransport, mailFailureLine } from './transport.ts';

/** Remembers for the operator when a mail went out last, and when one did not. */
export function withLastTimes(transport: MailTransport, db: Kysely<Database>, log: FastifyBaseLogger): MailTransport {
  // A mail that is out must not go out again for this.
  const unnoted = (error: unknown) => log.warn({ err: error }, 'what became of a mail was not noted');
  return {
    ...transport,
    async send(mail) {
      const at = () => new Date().toISOString();
      try {
        await transport.send(mail);
      } catch (error) {
        await remember(db, lastMailFailure, { at: at(), failure: mailFailureLine(error) }).catch(unnoted);
        throw error;
      }
      await remember(db, lastMailSent, { at: at() }).catch(unnoted);
    },
  };
}
