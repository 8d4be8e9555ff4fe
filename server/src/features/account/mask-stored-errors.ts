import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { ScheduledTask } from '#server/lib/scheduled-task';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import { maskKeyInResponsesEvent, maskSecrets } from '#server/provider/transport/masking';
import type { Secret } from '#server/security/secret';
import { doneMarker, providerTextColumns, storedErrorsRepository } from './stored-errors-repository.ts';

const everyMs = 60_000;
/** Users per run; a server that shuts down waits for it. */
const peopleAtOnce = 50;
const textsAtOnce = 500;

type Mask = (text: string) => string;

/** Masks every text within a JSON value, or the whole text if it is not JSON. */
function maskedJson(json: string, mask: Mask): string {
  try {
    return JSON.stringify(JSON.parse(json, (_name, value) => (typeof value === 'string' ? mask(value) : value)));
  } catch {
    return mask(json);
  }
}

function createMask(place: (typeof providerTextColumns)[number], key: Secret | undefined): Mask {
  if ('isResponse' in place) return (text) => (key ? maskKeyInResponsesEvent(text, key) : text);
  const mask: Mask = (text) => maskSecrets(text, key);
  return 'isJson' in place ? (text) => maskedJson(text, mask) : mask;
}

/**
 * Masks keys in provider texts stored by versions that did not know every form of a key. Runs once per user: the
 * progress is stored, so it continues after a restart and is not repeated. Two concurrent processes do the same work
 * twice.
 */
export function maskStoredErrors(db: Kysely<Database>, keys: Pick<ProviderKeyService, 'open'>): ScheduledTask {
  const repository = storedErrorsRepository(db);
  let isDone = false;

  /** Without a readable key, only commonly known forms of keys are masked. */
  const keyOf = (userId: number): Promise<Secret | undefined> =>
    keys.open(userId).catch((error: unknown) => {
      if (error instanceof AppError) return undefined;
      throw error;
    });

  /** Masks one column of a user, by distinct texts. */
  async function maskColumn(userId: number, place: (typeof providerTextColumns)[number], key: Secret | undefined) {
    const isJson = 'isJson' in place;
    const masked = createMask(place, key);
    // JSON that contains no key is not rewritten just for its whitespace.
    const unmasked = isJson ? (text: string) => maskedJson(text, (words) => words) : (text: string) => text;
    for (let after = ''; ; ) {
      const texts = await repository.texts(userId, place, after, textsAtOnce);
      for (const text of texts)
        if (masked(text) !== unmasked(text)) await repository.replace(userId, place, text, masked(text));
      after = texts.at(-1) ?? '';
      if (texts.length < textsAtOnce) return;
    }
  }

  async function maskFor(userId: number) {
    const key = await keyOf(userId);
    const mask = (text: string) => maskSecrets(text, key);
    for (const place of providerTextColumns) await maskColumn(userId, place, key);
    for (const { id, text } of await repository.jobErrors())
      if (mask(text) !== text) await repository.replaceJobError(id, mask(text));
  }

  async function run() {
    if (isDone) return;
    const progress = await repository.progress();
    if (progress !== doneMarker) {
      const people = await repository.usersAfter(Number(progress), peopleAtOnce);
      for (const userId of people) {
        await maskFor(userId);
        await repository.setProgress(String(userId));
      }
      if (people.length === peopleAtOnce) return;
      await repository.setProgress(doneMarker);
    }
    isDone = true;
  }

  return { everyMs, atStart: true, run };
}
