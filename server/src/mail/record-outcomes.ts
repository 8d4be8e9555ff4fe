import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { lastMailFailure, lastMailSent, saveTimestamp } from '#server/db/timestamps-repository';
import { describeMailFailure, type MailTransport } from './transport.ts';

/** Records for the operator when a mail last succeeded, and when one failed. */
export function recordMailTimes(transport: MailTransport, db: Kysely<Database>, log: FastifyBaseLogger): MailTransport {
  // A mail that was sent must not be sent again because recording it failed.
  const unnoted = (error: unknown) => log.warn({ err: error }, 'the result of an email could not be recorded');
  return {
    ...transport,
    async send(mail) {
      const at = () => new Date().toISOString();
      try {
        await transport.send(mail);
      } catch (error) {
        await saveTimestamp(db, lastMailFailure, { at: at(), failure: describeMailFailure(error) }).catch(unnoted);
        throw error;
      }
      await saveTimestamp(db, lastMailSent, { at: at() }).catch(unnoted);
    },
  };
}
