import type { Assistant } from '@roster/contracts/assistants/assistants';
import type { ComparedSettings } from '@roster/contracts/comparisons/comparisons';
import type { replays as api, Replay } from '@roster/contracts/comparisons/replays';
import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { estimateTokens } from '#server/conversation/token-estimate';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import type { UnsupportedSettings } from '#server/features/assistants/model-migrations/unsupported-settings';
import type { AssistantRepository } from '#server/features/assistants/shared/repository';
import type { QuestionHistory } from '#server/features/chat/question-history/service';
import { findComparison } from '#server/features/comparisons/shared/ask-prompt';
import { assistantSide } from '#server/features/comparisons/shared/compared-settings';
import { comparisonRepository } from '#server/features/comparisons/shared/repository';
import { storeComparison } from '#server/features/comparisons/shared/service';
import type { ModelService } from '#server/features/models/service';
import { AppError } from '#server/lib/errors';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { Actor } from '#server/security/actor';

/** Estimated tokens of the conversation before a question. */
const replayTokenLimit = 16_000;

const offeredQuestionLimit = 50;

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  catalogue: Pick<Catalogue, 'contextTokens' | 'parameters'>;
  models: Pick<ModelService, 'usable'>;
  questionHistory: QuestionHistory;
  assistantsIn: (db: Kysely<Database>) => Pick<AssistantRepository, 'find' | 'lock'>;
  notTakenBy: UnsupportedSettings;
};
type ReplayRequest = z.output<typeof api.create.body>;

const refuse = (field: keyof ReplayRequest, message: string) =>
  new AppError('invalid_input', message, { fields: { [field]: message } });

async function findAssistant({ assistantsIn }: Dependencies, db: Kysely<Database>, userId: number, id: number) {
  const assistant = await assistantsIn(db).find(userId, id);
  if (!assistant) throw new AppError('not_found', 'Assistant not found.');
  return assistant;
}

async function checkModels({ models }: Dependencies, userId: number, { fromModel, toModel, baseline }: ReplayRequest) {
  if (fromModel === toModel) throw refuse('toModel', 'Choose another model than the one that has answered');
  const usable = await models.usable(userId, [fromModel, toModel]);
  const isUsable = (model: string) => !usable || usable.has(model);
  const problem = usable?.problemOf(toModel);
  if (problem) throw refuse('toModel', problem);
  if (baseline === 'asked' && !isUsable(fromModel))
    throw refuse(
      'baseline',
      `Your API key can no longer use ${modelIdOf(fromModel)}. Compare with its stored answers instead.`,
    );
}

/** Settings of the assistant with a model, as far as that accepts them. */
function settingsWith({ catalogue }: Dependencies, assistant: Assistant, model: string): ComparedSettings {
  const { temperature, reasoningEffort, version } = assistant;
  const { effort } = catalogue.parameters(model, { temperature, effort: reasoningEffort });
  return assistantSide(model, { ...assistant, model, reasoningEffort: effort }, version);
}

/** Three quarters of what the asked models can read, if that is less. */
function roomFor({ catalogue }: Dependencies, { instructions }: Assistant, questions: string[]): number {
  const contexts = questions.map((model) => catalogue.contextTokens(model) ?? Number.POSITIVE_INFINITY);
  return Math.min(replayTokenLimit, ...contexts.map((context) => (context * 3) / 4)) - estimateTokens(instructions);
}

async function create(
  dependencies: Dependencies,
  { userId, recheckAccess }: Actor,
  assistantId: number,
  wanted: ReplayRequest,
): Promise<Replay> {
  const { database, questionHistory, assistantsIn, notTakenBy, catalogue } = dependencies;
  const { db } = database;
  const { fromModel, toModel, baseline } = wanted;
  const found = await findAssistant(dependencies, db, userId, assistantId);
  await checkModels(dependencies, userId, wanted);
  const answerIds = [...new Set(wanted.answerIds)];
  const models = baseline === 'asked' ? [fromModel, toModel] : [toModel];
  const room = roomFor(dependencies, found, models);
  const questions = await questionHistory.inContext(userId, { assistantId, model: fromModel }, answerIds, room);
  if (questions.length < answerIds.length)
    throw new AppError('not_found', 'One of these questions no longer exists. Select the questions again.');
  const id = await db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await assistantsIn(trx).lock(userId);
    const assistant = await findAssistant(dependencies, trx, userId, assistantId);
    return storeComparison(
      trx,
      userId,
      {
        ...{
          kind: 'replay',
          assistantId,
          title: `${assistant.name}: ${modelIdOf(fromModel)} and ${modelIdOf(toModel)}`,
        },
        baseline: settingsWith(dependencies, assistant, fromModel),
        candidate: settingsWith(dependencies, assistant, toModel),
      },
      questions.map(({ turns, answer }) => ({
        ...{ turns, expected: null },
        baselineText: baseline === 'stored' ? answer : null,
      })),
    );
  });
  const total = (count: (question: (typeof questions)[number]) => number) =>
    questions.reduce((sum, question) => sum + count(question), 0);
  return {
    comparison: await findComparison(comparisonRepository(db), userId, id),
    notTaken: notTakenBy(catalogue, toModel)({ ...found, model: fromModel }),
    messagesLeftOut: total(({ messagesLeftOut }) => messagesLeftOut),
    filesLeftOut: total(({ filesLeftOut }) => filesLeftOut),
  };
}

/** Real questions to an assistant, asked again of another model and shown with the original answers. */
export function replayService(dependencies: Dependencies) {
  const { database, questionHistory } = dependencies;
  return {
    async questions(userId: number, assistantId: number, { model, programs }: z.output<typeof api.questions.query>) {
      await findAssistant(dependencies, database.db, userId, assistantId);
      const of = { assistantId, model, programs: programs === 'true' };
      return { items: await questionHistory.list(userId, of, offeredQuestionLimit) };
    },
    create: (actor: Actor, assistantId: number, wanted: ReplayRequest) =>
      create(dependencies, actor, assistantId, wanted),
  };
}
