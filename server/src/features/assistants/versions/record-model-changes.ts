import type { VersionOrigin } from '@roster/contracts/assistants/versions';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { assistantRepository, type ModelChange } from '#server/features/assistants/shared/repository';
import { isPruneDue, type NewVersion, versionRepository } from './repository.ts';
import { changedFields, loadStates, type ToolSelectionsIn } from './state.ts';

export type ModelChanges = ReadonlyMap<number, ModelChange>;
/** Version numbers before and after the change, by assistant. */
type VersionNumbers = Map<number, { before: number; after: number }>;

/** Small batches, because imported instructions may have 256,000 characters. */
const atOnce = 100;

type Within = { trx: Kysely<Database>; choicesIn: ToolSelectionsIn; userId: number; origin: VersionOrigin };

async function recordSome({ trx, choicesIn, userId, origin }: Within, changes: ModelChanges, ids: number[]) {
  const at = new Date().toISOString();
  const versions = versionRepository(trx);
  const states = await loadStates(trx, choicesIn, userId, ids);
  const made = [...states].map(([assistantId, { assistant, state: before }]): NewVersion => {
    const state = { ...before, settings: { ...before.settings, ...changes.get(assistantId) } };
    const changed = changedFields(before, state);
    return { assistantId, number: assistant.version + 1, origin, changed, state, at };
  });
  await versions.insert(userId, made);
  const alike = Map.groupBy(made, ({ state: { settings } }) =>
    JSON.stringify([settings.model, settings.reasoningEffort]),
  );
  for (const group of alike.values()) {
    const settings = group[0]?.state.settings;
    const some = group.map(({ assistantId }) => assistantId);
    if (settings) await assistantRepository(trx).updateSome(userId, some, settings, at);
  }
  const due = made.filter(({ number }) => isPruneDue(number)).map(({ assistantId }) => assistantId);
  if (due.length > 0) await versions.prune(userId, due);
  return made;
}

/** Gives each assistant its new model and stores the result as a version. The caller has locked the user. */
export async function recordModelChanges(within: Within, changes: ModelChanges): Promise<VersionNumbers> {
  const numbers: VersionNumbers = new Map();
  const ids = [...changes.keys()];
  for (let from = 0; from < ids.length; from += atOnce)
    for (const { assistantId, number } of await recordSome(within, changes, ids.slice(from, from + atOnce)))
      numbers.set(assistantId, { before: number - 1, after: number });
  return numbers;
}
