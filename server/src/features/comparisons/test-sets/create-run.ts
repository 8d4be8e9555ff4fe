import { type Assistant, type AssistantChanges, AssistantSettings } from '@roster/contracts/assistants/assistants';
import type { ComparedSettings, StoredText } from '@roster/contracts/comparisons/comparisons';
import type { NewTestRun } from '@roster/contracts/comparisons/test-sets';
import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { AssistantRepository } from '#server/features/assistants/shared/repository';
import type { versionRepository } from '#server/features/assistants/versions/repository';
import type { InternalThreadService } from '#server/features/chat/internal-threads/service';
import { assistantSide } from '#server/features/comparisons/shared/compared-settings';
import {
  comparisonRepository,
  type NewComparison,
  type NewPrompt,
} from '#server/features/comparisons/shared/repository';
import type { UsableModels } from '#server/features/models/service';
import { AppError } from '#server/lib/errors';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { answersOf, answersOfVersion, type BaselineAnswers } from './baseline-answers.ts';
import { keyOf } from './questions.ts';
import { type TestSetRecord, testSetRepository } from './repository.ts';

export type RunParts = {
  internalThreads: Pick<InternalThreadService, 'answers'>;
  catalogue: Pick<Catalogue, 'parameters'>;
  assistantsIn: (db: Kysely<Database>) => Pick<AssistantRepository, 'find' | 'lock'>;
  versionsIn: (db: Kysely<Database>) => Pick<ReturnType<typeof versionRepository>, 'find'>;
};

/** A run as it would be stored. */
export type PreparedRun = {
  assistant: Assistant;
  comparison: NewComparison;
  prompts: NewPrompt[];
  /** Changes of a draft. */
  changes: AssistantChanges | null;
};

/** Data that a run is prepared from, at one moment. `usable`: null if it is unknown which models the key can use. */
type Moment = Place & { usable: UsableModels | null };
type Place = { db: Kysely<Database>; userId: number };
type TestSubject = { set: TestSetRecord; assistant: Assistant };

export const testSetNotFound = () => new AppError('not_found', 'This test set does not exist.');
export const runNotFound = () => new AppError('not_found', 'This run of the test set does not exist.');
const refuse = (field: 'candidate' | 'baseline', message: string) =>
  new AppError('invalid_input', message, { fields: { [field]: message } });

export async function findTested({ assistantsIn }: RunParts, { db, userId }: Place, setId: number) {
  const set = await testSetRepository(db).find(userId, setId);
  const assistant = set && (await assistantsIn(db).find(userId, set.assistantId));
  if (!set || !assistant) throw testSetNotFound();
  return { set, assistant };
}

async function sideOfVersion({ versionsIn }: RunParts, { db, userId }: Place, assistantId: number, number: number) {
  const version = await versionsIn(db).find(userId, assistantId, number);
  if (!version) throw new AppError('not_found', 'This version of the assistant is no longer stored.');
  const isOfDraft = !version.changed.includes('files');
  return {
    version: assistantSide(`Version ${number}`, version.state.settings, number),
    draftOf: isOfDraft ? number - 1 : null,
  };
}

async function candidateOf(
  parts: RunParts,
  moment: Place,
  assistant: Assistant,
  candidate: NewTestRun['candidate'],
): Promise<ComparedSettings> {
  if (candidate.kind === 'version')
    return (await sideOfVersion(parts, moment, assistant.id, candidate.version)).version;
  if (candidate.kind === 'draft') {
    const draft = AssistantSettings.parse({ ...assistant, ...candidate.changes });
    return assistantSide(`Draft of version ${assistant.version}`, draft, null);
  }
  const { model } = candidate;
  const { temperature, reasoningEffort } = assistant;
  const { effort } = parts.catalogue.parameters(model, { temperature, effort: reasoningEffort });
  return assistantSide(model, { ...assistant, model, reasoningEffort: effort }, assistant.version);
}

/** The models that a run would ask, judge not included. */
export async function modelsOfRun(
  parts: RunParts,
  place: Place,
  assistant: Assistant,
  wanted: NewTestRun,
): Promise<string[]> {
  checkDraft(assistant, wanted);
  const { model } = await candidateOf(parts, place, assistant, wanted.candidate);
  const { baseline } = wanted;
  if (baseline.kind !== 'version') return [model];
  const side = await sideOfVersion(parts, place, assistant.id, baseline.version);
  return [model, side.version.model];
}

/** Answers to compare with. `mustRun`: missing ones are requested. */
type Baseline = { settings: ComparedSettings | null; answers: BaselineAnswers; mustRun: boolean };

async function baselineOf(
  parts: RunParts,
  moment: Moment,
  { set, assistant }: TestSubject,
  baseline: NewTestRun['baseline'],
  questions: readonly string[],
): Promise<Baseline> {
  const { db, userId, usable } = moment;
  if (baseline.kind === 'nothing') return { settings: null, answers: new Map(), mustRun: false };
  if (baseline.kind === 'run') {
    const { runId } = baseline;
    const isOfSet = (await testSetRepository(db).ofRuns(userId, [runId])).get(runId)?.id === set.id;
    const run = isOfSet ? await comparisonRepository(db).find(userId, runId) : undefined;
    if (!run) throw runNotFound();
    const answers = await answersOf(parts, db, userId, [{ runId, side: 'candidate', settings: run.candidate }]);
    if (!questions.some((key) => answers.has(key)))
      throw refuse('baseline', 'That run has no answers to these questions. Choose another one.');
    return { settings: run.candidate, answers, mustRun: false };
  }
  const side = await sideOfVersion(parts, moment, assistant.id, baseline.version);
  const settings = side.version;
  const answers = await answersOfVersion(parts, db, userId, set.id, side, questions);
  const mustRun = usable?.has(settings.model) ?? true;
  if (!mustRun && !questions.some((key) => answers.has(key)))
    throw refuse(
      'baseline',
      `${settings.label} has not answered these questions yet, and your API key cannot use its model ${settings.model} to ask them.`,
    );
  return { settings, answers, mustRun };
}

function checkDraft({ version }: Assistant, { candidate, baseline }: NewTestRun) {
  if (candidate.kind !== 'draft') return;
  if (baseline.kind !== 'version') throw refuse('baseline', 'A draft is compared with the current version.');
  if (baseline.version !== version)
    throw new AppError('conflict', `The assistant has changed: it is now at version ${version}. Open it again.`);
}

/** Prepares a run: its prompts, and the answers to compare with. Nothing is stored. */
export async function createRun(
  parts: RunParts,
  moment: Moment,
  setId: number,
  wanted: NewTestRun,
): Promise<PreparedRun> {
  const { db, userId, usable } = moment;
  const { set, assistant } = await findTested(parts, moment, setId);
  checkDraft(assistant, wanted);
  const candidate = await candidateOf(parts, moment, assistant, wanted.candidate);
  if (usable && !usable.has(candidate.model))
    throw refuse(
      'candidate',
      `Your API key cannot use ${modelIdOf(candidate.model)}. Run the test set with another model, or move the assistant to one.`,
    );
  const questions = await testSetRepository(db).questions(userId, setId);
  const keys = questions.map(({ turns }) => keyOf(turns));
  const { settings, answers, mustRun } = await baselineOf(parts, moment, { set, assistant }, wanted.baseline, keys);
  return {
    assistant,
    changes: wanted.candidate.kind === 'draft' ? wanted.candidate.changes : null,
    comparison: {
      kind: 'test',
      title: `${assistant.name}, ${set.name}: ${candidate.label}`,
      assistantId: assistant.id,
      testSetId: set.id,
      candidate,
      baseline: settings,
    },
    prompts: questions.map(({ turns, expected }) => {
      const earlier: StoredText | null = answers.get(keyOf(turns)) ?? null;
      return { turns, expected, baselineText: earlier, hasBaseline: earlier !== null || mustRun };
    }),
  };
}
