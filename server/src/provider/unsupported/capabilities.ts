import { createHash } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '#server/db/schema';
import type { ScheduledTask } from '#server/lib/scheduled-task';
import type { Secret } from '#server/security/secret';
import { type RefusalRepository, refusalRepository } from './refusal-repository.ts';

/** A trait of the provider itself, whatever the model. */
export const noResponses = 'has no responses';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
/** Intervals after which a rejected request is tried again; the last one repeats while it is still rejected. */
const askAgainMs = [hourMs, dayMs, 30 * dayMs] as const;
/** A trait that nobody has used for this long after its retry time is deleted. */
const forgottenAfterMs = 30 * dayMs;
const rereadEveryMs = 5 * 60_000;
/** Maximum number of keys with their own remembered traits. */
const maxOwn = 10_000;
/** This many different keys must be rejected before the trait holds for all. */
const enoughAskers = 2;
/**
 * Rejections closer together may share a temporary cause, such as a restarting proxy, so they do not confirm each
 * other.
 */
const anotherTimeMs = 10 * 60_000;

type Row = Selectable<Database['provider_traits']>;
type Refusal = { askAt: number; step: number };
/** `metAt`: when this key was first rejected since its last deliberate retry. */
type OwnRefusal = Refusal & { metAt: number };
/** `isOfAll`: it holds for every key. */
type StoredRefusal = Refusal & { isOfAll: boolean };

const keyOf = ({ model, trait }: { model: string; trait: string }) => `${model}|${trait}`;
/** Kept in memory only: the digest of a short key would reveal too much. */
const digestOf = (apiKey: Secret) => createHash('sha256').update(apiKey.reveal()).digest('base64');

/** Rows of earlier versions lack the rejected keys and the retry time; the next rejection adds them. */
const knownOf = ({ askers, ask_at, step, learned_at }: Row): StoredRefusal => ({
  isOfAll: (askers ?? enoughAskers) >= enoughAskers,
  askAt: ask_at === null ? Date.parse(learned_at) + askAgainMs[0] : Date.parse(ask_at),
  step: step ?? 0,
});

/** Extends the interval only after a deliberate retry, and not for concurrent rejections. */
function refusedAgain(before: Refusal | undefined, now: number): Refusal {
  if (before && now < before.askAt) return before;
  const step = before ? Math.min(before.step + 1, askAgainMs.length - 1) : 0;
  return { step, askAt: now + (askAgainMs[step] ?? dayMs) };
}

/** True if other keys met it at another time. An old rejection that has not recurred does not count. */
function isConfirmed(refusals: ReadonlyMap<string, OwnRefusal>, asker: string, now: number): boolean {
  const earlier = [...refusals].filter(
    ([key, { askAt, metAt }]) => key !== asker && now < askAt && now - metAt >= anotherTimeMs,
  );
  return earlier.length >= enoughAskers - 1;
}

async function readTraits(
  refusals: RefusalRepository,
  scope: string,
  now: number,
): Promise<Map<string, StoredRefusal>> {
  const rows = await refusals.listSince(scope, new Date(now - forgottenAfterMs).toISOString());
  return new Map(rows.map((row) => [keyOf(row), knownOf(row)]));
}

/**
 * Remembers what the configured provider has rejected: calls it does not serve, parameters a model does not accept. A
 * rejection holds for the key that met it, and for all keys only after another key has met it at another time, so that
 * a wrong path of one key or a restarting proxy affects nobody else. It is retried after an hour, a day and then every
 * month, and a success ends it (docs/decisions/14-responses-and-chat-completions.md).
 */
export async function loadCapabilities(db: Kysely<Database>, scope: string, now: () => number = Date.now) {
  const refusals = refusalRepository(db);
  let traits = await readTraits(refusals, scope, now());
  /** By trait, then by key. */
  const own = new Map<string, Map<string, OwnRefusal>>();
  let ownCount = 0;

  function rememberOwn(trait: string, asker: string, refusal: OwnRefusal) {
    if (ownCount >= maxOwn) {
      own.clear();
      ownCount = 0;
    }
    const ofTrait = own.get(trait) ?? new Map<string, OwnRefusal>();
    if (!ofTrait.has(asker)) ownCount++;
    own.set(trait, ofTrait.set(asker, refusal));
  }

  function forgetOwn(trait: string, asker: string) {
    if (own.get(trait)?.delete(asker)) ownCount--;
  }

  return {
    /** True if a request with this key must do without; without a key, if every request must. */
    has(model: string, trait: string, apiKey?: Secret): boolean {
      const name = keyOf({ model, trait });
      const ofAll = traits.get(name);
      if (ofAll?.isOfAll && now() < ofAll.askAt) return true;
      const ofTrait = own.get(name);
      const refusal = ofTrait && apiKey && ofTrait.get(digestOf(apiKey));
      return refusal !== undefined && now() < refusal.askAt;
    },

    /** Records a rejection by the provider. */
    async learn(model: string, trait: string, apiKey: Secret) {
      const name = keyOf({ model, trait });
      const asker = digestOf(apiKey);
      const mine = own.get(name)?.get(asker);
      const isCurrent = mine !== undefined && now() < mine.askAt;
      rememberOwn(name, asker, { ...refusedAgain(mine, now()), metAt: isCurrent ? mine.metAt : now() });
      const before = traits.get(name);
      const isOfAll = before?.isOfAll === true || isConfirmed(own.get(name) ?? new Map(), asker, now());
      const next = { ...refusedAgain(before, now()), isOfAll };
      if (before && before.askAt === next.askAt && before.isOfAll === isOfAll) return;
      traits.set(name, next);
      await refusals.store(scope, {
        ...{ model, trait, learned_at: new Date(now()).toISOString() },
        ...{ askers: isOfAll ? enoughAskers : 1, ask_at: new Date(next.askAt).toISOString(), step: next.step },
      });
    },

    /** Records that the provider has served it after all. */
    async works(model: string, trait: string, apiKey: Secret) {
      const name = keyOf({ model, trait });
      if (own.get(name)?.size) forgetOwn(name, digestOf(apiKey));
      if (traits.delete(name)) await refusals.remove(scope, model, trait);
    },

    /** Reads what other processes have learned. */
    reread: {
      everyMs: rereadEveryMs,
      run: async () => {
        traits = await readTraits(refusals, scope, now());
      },
    } satisfies ScheduledTask,
  };
}

export type Capabilities = Omit<Awaited<ReturnType<typeof loadCapabilities>>, 'reread'>;
