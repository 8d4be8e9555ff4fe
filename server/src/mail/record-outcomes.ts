import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { lastMailFailure, lastMailSent, remember } from '#server/db/timestamps-repository';
import { type MailTransport, mailFailureLine } from './transport.ts';

/** Records for the operator when a mail last succeeded, and when one failed. */
export function withLastTimes(transport: MailTransport, db: Kysely<Database>, log: FastifyBaseLogger): MailTransport {
  // A mail that was sent must not be sent again because recording it failed.
  const unnoted = (error: unknown) => log.warn({ err: error }, 'the result of a mail could not be recorded');
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
