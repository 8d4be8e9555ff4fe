import type { Feature } from './feature.ts';
import { accountFeature } from './features/account/feature.ts';
import { preferencesRepository } from './features/account/preferences-repository.ts';
import { apiTokenFeature } from './features/api-tokens/feature.ts';
import { assistantFeature } from './features/assistants/feature.ts';
import { knowledgeFeature } from './features/assistants/knowledge/feature.ts';
import { copySettled } from './features/assistants/knowledge/queue.ts';
import { moveFeature } from './features/assistants/moves/feature.ts';
import { notTakenBy } from './features/assistants/moves/not-taken.ts';
import { assistantRepository } from './features/assistants/repository.ts';
import { versionRecorder } from './features/assistants/versions/recorder.ts';
import { versionRepository } from './features/assistants/versions/repository.ts';
import { authFeature } from './features/auth/feature.ts';
import { chatFeature } from './features/chat/feature.ts';
import { sideAnswerEnded } from './features/comparisons/answer-ended.ts';
import { comparisonFeature } from './features/comparisons/feature.ts';
import { fileFeature } from './features/files/feature.ts';
import { exampleRepository } from './features/fine-tuning/datasets/example-repository.ts';
import { trainingFeature } from './features/fine-tuning/feature.ts';
import { modelRepository as tunedModelRepository } from './features/fine-tuning/models/repository.ts';
import { modelFeature } from './features/models/feature.ts';
import { modelLifeFeature } from './features/models/life/feature.ts';
import { openAiApiFeatures } from './features/openai-api/feature.ts';
import { fileIds } from './features/openai-api/files/file-ids.ts';
import { installationIds } from './features/openai-api/id-key-repository.ts';
import { copySettledInStores } from './features/openai-api/vector-stores/job.ts';
import { storesNamed } from './features/openai-api/vector-stores/named.ts';
import { systemFeature } from './features/system/feature.ts';
import { choiceRepository } from './features/tool-servers/choice-repository.ts';
import { toolServerFeature } from './features/tool-servers/feature.ts';
import { usageFeature } from './features/usage/feature.ts';
import { userFeature } from './features/users/feature.ts';
import type { Foundation, ToolsForTests } from './foundation.ts';

/**
 * The map: each feature gets by argument what it needs of those before it.
 *
 * Long: the list of the features.
 */
export function createFeatures(base: Foundation, tools?: ToolsForTests) {
  const auth = authFeature(base);
  const models = modelFeature({ ...base, tunedModels: tunedModelRepository(base.database.db).choice });
  const files = fileFeature({
    ...base,
    async onCopySettled(trx, userId, fileId) {
      await copySettled(trx, userId, fileId);
      await copySettledInStores(trx, userId, fileId);
    },
  });
  const versions = versionRecorder(choiceRepository);
  const knowledge = knowledgeFeature({ ...base, files, versions });
  const { db } = base.database;
  const ids = installationIds(db);
  const assistants = assistantFeature({
    ...base,
    models,
    knowledge,
    storesNamed: storesNamed({ db, ids }),
    filesNamed: fileIds({ db, ids }).found,
    choicesIn: choiceRepository,
    versions,
  });
  const toolServers = toolServerFeature({ ...base, versions });
  const usage = usageFeature({ ...base, ownsAssistant: assistants.owns });
  const { pricing, budgets, recentUse } = usage;
  const modelLife = modelLifeFeature({ ...base, recentUse });
  const moves = moveFeature({ ...base, models, versions, recentUse });
  const toolParts = {
    toolBox: tools?.box ?? toolServers.toolBox,
    toolCallMs: tools?.callMs ?? base.toolTimes.callMs,
  };
  const chat = chatFeature({
    ...{ ...base, models, assistants, pricing, budgets, knowledge, files, ...toolParts },
    sideAnswerEnded,
    titleModel: async (userId) => (await preferencesRepository(db).find(userId)).titleModel,
  });
  const training = trainingFeature({
    ...base,
    models,
    files,
    ownsAssistant: assistants.owns,
    endsOf: modelLife.endsOf,
  });
  const comparisons = comparisonFeature({
    ...{ ...base, pricing, files, models, notTakenBy },
    sideQuestions: chat.sideQuestions,
    askedQuestions: chat.askedQuestions,
    assistantsIn: assistantRepository,
    versionsIn: versionRepository,
    assistants: assistants.drafted,
    examples: exampleRepository(db).some,
  });
  const apiTokens = apiTokenFeature(base);
  const forPrograms = openAiApiFeatures({
    ...base,
    ids,
    models,
    assistants,
    files,
    knowledge,
    pricing,
    budgets,
    conversations: chat.forPrograms,
    attachments: chat.attachments,
    programRuns: chat.programRuns,
    toolBox: toolParts.toolBox,
  });
  const ofUsers: Feature[] = [
    apiTokens,
    usage,
    assistants,
    toolServers,
    chat,
    files,
    knowledge,
    training,
    comparisons,
    ...forPrograms,
  ];
  const { confirmPassword, refuseGuessable, hashPassword, passwordLink } = auth;
  const account = accountFeature({ ...base, models, confirmPassword, features: ofUsers });
  const removeAccount = account.remove;
  const users = userFeature({ ...base, refuseGuessable, hashPassword, passwordLink, removeAccount });
  const system = systemFeature(base);
  const all: Feature[] = [
    auth,
    account,
    models,
    modelLife,
    assistants,
    moves,
    toolServers,
    knowledge,
    chat,
    files,
    training,
    comparisons,
    usage,
    users,
    system,
    apiTokens,
    ...forPrograms,
  ];
  return { auth, findCaller: apiTokens.findCaller, figures: system.figures, all };
}
