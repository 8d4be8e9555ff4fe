import type { ConnectionRefusal } from '@roster/contracts/connections/connections';
import type { Kysely } from 'kysely';
import type { Presence } from '#server/db/presence';
import type { Database } from '#server/db/schema';
import { refusalRepository, scopeOf } from '#server/provider/unsupported/refusal-repository';

type Dependencies = {
  db: Kysely<Database>;
  presence: Pick<Presence, 'send' | 'listen'>;
  /** The next call gets a client that has learned nothing beyond what is stored. */
  forgetClient: (connectionId: number) => void;
};

/** Unless the trait names a field, it is a sentence of its own: `has no responses`. */
const fieldOf = (trait: string) => trait.replace(/^(refuses|has no) /, '');

/** Refusals of a connection’s provider: Roster does without these fields and calls for a while. */
export function connectionRefusals({ db, presence, forgetClient }: Dependencies) {
  const refusals = refusalRepository(db);
  presence.listen((signal) => {
    if ('askAgain' in signal) forgetClient(signal.askAgain);
  });

  return {
    async list(connectionId: number): Promise<ConnectionRefusal[]> {
      const rows = await refusals.list(scopeOf(connectionId), new Date().toISOString());
      return rows.flatMap(({ model, trait, learned_at: learnedAt, ask_at: askAt }) =>
        askAt === null ? [] : { model: model === '*' ? null : model, what: fieldOf(trait), learnedAt, askAt },
      );
    },
    /** Has everything tried again with the next calls, on all servers. */
    async askAgain(connectionId: number) {
      await refusals.forget(scopeOf(connectionId));
      forgetClient(connectionId);
      presence.send({ askAgain: connectionId });
    },
  };
}

export type ConnectionRefusals = ReturnType<typeof connectionRefusals>;
