import { ComparedSettings, type ComparedSide, type StoredText } from '@roster/contracts/comparisons/comparisons';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { InternalThreadService } from '#server/features/chat/internal-threads/service';
import { threadsOf, toShown } from '#server/features/comparisons/shared/answers';
import { comparisonRepository } from '#server/features/comparisons/shared/repository';
import { keyOf } from './questions.ts';
import { testSetRepository } from './repository.ts';

/** Number of a set's newest runs that are searched, and of those that answers are taken from. */
const runsLookedAt = 20;
const runsTaken = 5;

type Parts = { internalThreads: Pick<InternalThreadService, 'answers'> };
type Side = { runId: number; side: ComparedSide; settings: ComparedSettings };

/** By question. */
export type BaselineAnswers = ReadonlyMap<string, StoredText>;

/** Complete answers of these sides; for each question, that of the first side that has one. */
export async function answersOf(
  { internalThreads }: Parts,
  db: Kysely<Database>,
  userId: number,
  sides: readonly Side[],
  isEnough: (found: BaselineAnswers) => boolean = () => false,
): Promise<BaselineAnswers> {
  const found = new Map<string, StoredText>();
  for (const { runId, side, settings } of sides) {
    if (isEnough(found)) break;
    const prompts = await comparisonRepository(db).prompts(userId, runId);
    const answers = await internalThreads.answers(userId, threadsOf(prompts), db);
    for (const prompt of prompts) {
      const answer = toShown(prompt, answers)[side];
      const key = keyOf(prompt.turns);
      if (answer?.state !== 'complete' || found.has(key)) continue;
      const { text, stored, createdAt } = answer;
      const { model, version } = stored ?? { model: settings.model, version: settings.assistantVersion };
      found.set(key, { text, model, version, createdAt });
    }
  }
  return found;
}

const withoutName = ({ label: _, ...settings }: ComparedSettings) => JSON.stringify(settings);

/**
 * The newest answers of an assistant's version in the runs of a set. Answers of a draft belong to the version that it
 * was saved as: `draftOf` is the version that such a draft was based on, or null if this version did not come from a
 * draft alone.
 */
export async function answersOfVersion(
  parts: Parts,
  db: Kysely<Database>,
  userId: number,
  setId: number,
  { version, draftOf }: { version: ComparedSettings; draftOf: number | null },
  questions: readonly string[],
): Promise<BaselineAnswers> {
  const saved = withoutName(version);
  const asDraft = withoutName({ ...version, assistantVersion: null });
  const sides: Side[] = [];
  for (const run of await testSetRepository(db).runs(userId, setId, runsLookedAt)) {
    const candidate = ComparedSettings.parse(JSON.parse(run.candidate));
    const baseline = run.baseline === null ? null : ComparedSettings.parse(JSON.parse(run.baseline));
    const isDraft = run.draft !== null && draftOf !== null && baseline?.assistantVersion === draftOf;
    const tried = withoutName(candidate);
    if (tried === saved || (isDraft && tried === asDraft))
      sides.push({ runId: run.id, side: 'candidate', settings: version });
    if (baseline && withoutName(baseline) === saved) sides.push({ runId: run.id, side: 'baseline', settings: version });
  }
  return answersOf(parts, db, userId, sides.slice(0, runsTaken), (found) => questions.every((key) => found.has(key)));
}
