import { instructionFiller } from '#server/conversation/fill-instructions';
import { accountFeature } from '#server/features/account/feature';
import { importPreferences } from '#server/features/account/preferences';
import { preferencesRepository } from '#server/features/account/preferences-repository';
import { apiTokenFeature } from '#server/features/api-tokens/feature';
import { assistantFeature } from '#server/features/assistants/feature';
import { importedAssistants } from '#server/features/assistants/imported';
import { knowledgeFeature } from '#server/features/assistants/knowledge/feature';
import { providerFileSettled } from '#server/features/assistants/knowledge/queue';
import { modelMigrationFeature } from '#server/features/assistants/model-migrations/feature';
import { unsupportedSettings } from '#server/features/assistants/model-migrations/unsupported-settings';
import { assistantRepository } from '#server/features/assistants/shared/repository';
import { versionRecorder } from '#server/features/assistants/versions/recorder';
import { versionRepository } from '#server/features/assistants/versions/repository';
import { authFeature } from '#server/features/auth/feature';
import { scimFeature } from '#server/features/auth/scim/feature';
import { chatFeature } from '#server/features/chat/feature';
import { comparisonFeature } from '#server/features/comparisons/feature';
import { onAnswerFinished } from '#server/features/comparisons/on-answer-finished';
import { connectionFeature } from '#server/features/connections/feature';
import type { Feature } from '#server/features/feature';
import { fileFeature } from '#server/features/files/feature';
import { exampleRepository } from '#server/features/fine-tuning/datasets/example-repository';
import { trainingFeature } from '#server/features/fine-tuning/feature';
import { modelRepository as tunedModelRepository } from '#server/features/fine-tuning/models/repository';
import { importFeature } from '#server/features/imports/feature';
import { modelFeature } from '#server/features/models/feature';
import { retirementFeature } from '#server/features/models/retirement/feature';
import { projectFeature } from '#server/features/projects/feature';
import { fileSettledInProjects } from '#server/features/projects/files/queue';
import { projectFileService } from '#server/features/projects/files/service';
import { importedProjects } from '#server/features/projects/imported';
import { projectRepository } from '#server/features/projects/shared/repository';
import { promptFeature } from '#server/features/prompts/feature';
import { storePrompts } from '#server/features/prompts/import';
import { publicApiFeatures } from '#server/features/public-api/feature';
import { createFileIds } from '#server/features/public-api/files/file-ids';
import { installationIds } from '#server/features/public-api/shared/id-key-repository';
import { onCopyFinishedInStores } from '#server/features/public-api/vector-stores/job';
import { resolveStoreIds } from '#server/features/public-api/vector-stores/resolve-ids';
import { systemFeature } from '#server/features/system/feature';
import { toolServerFeature } from '#server/features/tool-servers/feature';
import { toolSelectionRepository } from '#server/features/tool-servers/shared/tool-selection-repository';
import { usageFeature } from '#server/features/usage/feature';
import { onUsageRecorded } from '#server/features/usage/repository';
import { userFeature } from '#server/features/users/feature';
import { connectionAddresses } from '#server/provider/connections/address-policy';
import { sentHeaders } from '#server/provider/connections/sent-headers';
import { createProvider } from '#server/provider/create';
import type { Services, ToolsForTests } from './services.ts';

/**
 * Wires the features: each receives what it needs from earlier ones as arguments.
 *
 * Long: the list of the features.
 */
export function createFeatures(base: Services, tools?: ToolsForTests) {
  if (base.prometheus) onUsageRecorded(base.database.db, base.prometheus.metrics.used);
  const auth = authFeature(base);
  const models = modelFeature({ ...base, tunedModels: tunedModelRepository(base.database.db).choice });
  const files = fileFeature({
    ...base,
    async onCopySettled(trx, userId, fileId) {
      await providerFileSettled(trx, userId, fileId);
      await fileSettledInProjects(trx, userId, fileId);
      await onCopyFinishedInStores(trx, userId, fileId);
    },
  });
  const versions = versionRecorder(toolSelectionRepository);
  const knowledge = knowledgeFeature({ ...base, files, versions });
  const { db } = base.database;
  const ids = installationIds(db);
  const assistants = assistantFeature({
    ...base,
    models,
    knowledge,
    storesNamed: resolveStoreIds(db, ids),
    filesNamed: createFileIds(db, ids).found,
    choicesIn: toolSelectionRepository,
    versions,
  });
  const toolServers = toolServerFeature({ ...base, versions });
  const usage = usageFeature({ ...base, listedPrice: models.listedPrice, ownsAssistant: assistants.owns });
  const { pricing, budgets, recentUse } = usage;
  const modelLife = retirementFeature({ ...base, recentUse });
  const moves = modelMigrationFeature({ ...base, db, models, versions, recentUse });
  const { person: personOf } = preferencesRepository(db);
  const fillInstructions = instructionFiller(personOf, base.now);
  const toolParts = {
    toolBox: tools?.box ?? toolServers.toolBox,
    toolCallMs: tools?.callMs ?? base.toolTimes.callMs,
  };
  const projectFiles = projectFileService({
    db,
    stores: knowledge.stores,
    retryCopy: files.retry,
    providerName: base.config.provider.name,
    onProblem: (error) => base.log.error({ err: error }, 'indexing of a project could not be restarted'),
  });
  const chat = chatFeature({
    ...{ ...base, models, assistants, pricing, budgets, knowledge, files, ...toolParts, fillInstructions },
    projects: { find: projectRepository(db).find, knowledge: projectFiles.forAnswer },
    sideAnswerEnded: onAnswerFinished,
    titleModel: async (userId) => (await preferencesRepository(db).find(userId)).titleModel,
  });
  const conversationImports = importFeature({
    ...{ ...base, files, importedThreads: chat.importedThreads },
    keepers: {
      ...{
        assistants: importedAssistants,
        projects: importedProjects(projectFiles, importedAssistants.idOf),
      },
      ...{ importPreferences, importPrompts: storePrompts },
    },
  });
  const training = trainingFeature({
    ...base,
    models,
    files,
    ownsAssistant: assistants.owns,
    endsOf: modelLife.endsOf,
  });
  const comparisons = comparisonFeature({
    ...{ ...base, pricing, files, models, personOf, notTakenBy: unsupportedSettings },
    internalThreads: chat.internalThreads,
    questionHistory: chat.questionHistory,
    assistantsIn: assistantRepository,
    versionsIn: versionRepository,
    assistants: assistants.drafted,
    examples: exampleRepository(db).some,
  });
  const apiTokens = apiTokenFeature(base.database, base.log);
  const connections = connectionFeature({
    ...base,
    onUsable: training.keySaved,
    createClient: ({ baseUrl, name, api, keyHeader, preset }) =>
      createProvider({
        ...{ db, metrics: base.metrics, tracing: base.tracing, times: base.providerTimes },
        proxyFor: base.config.proxyFor,
        config: { baseUrl, name },
        connection: {
          ...{ scope: 'connection:new', api, keyHeader, headersOf: sentHeaders(preset) },
          connector: connectionAddresses(base.config).connector,
        },
      }),
  });
  const prompts = promptFeature(base);
  const projects = projectFeature({
    ...base,
    ownsAssistant: assistants.owns,
    checkModels: models.checkExists,
    moveToTrash: chat.moveToTrash,
    files: projectFiles,
  });
  const publicApi = publicApiFeatures({
    ...base,
    ids,
    models,
    assistants,
    files,
    knowledge,
    pricing,
    budgets,
    conversations: chat.apiThreads,
    attachments: chat.attachments,
    apiRuns: chat.apiRuns,
    toolBox: toolParts.toolBox,
    fillInstructions,
  });
  const ofUsers: Feature[] = [
    models,
    apiTokens,
    connections,
    usage,
    assistants,
    toolServers,
    prompts,
    projects,
    chat,
    conversationImports,
    files,
    knowledge,
    training,
    comparisons,
    ...publicApi,
  ];
  const { confirmPassword, refuseGuessable, hashPassword, passwordLink } = auth;
  const account = accountFeature({ ...base, models, confirmPassword, features: ofUsers });
  const removeAccount = account.remove;
  const users = userFeature({ ...base, refuseGuessable, hashPassword, passwordLink, removeAccount });
  const scim = scimFeature({ ...base, removeAccount });
  const system = systemFeature({ ...base, installation: base.config.installation });
  const all: Feature[] = [
    auth,
    account,
    models,
    modelLife,
    assistants,
    moves,
    toolServers,
    knowledge,
    prompts,
    projects,
    chat,
    conversationImports,
    files,
    training,
    comparisons,
    usage,
    users,
    scim,
    system,
    apiTokens,
    connections,
    ...publicApi,
  ];
  return { auth, findCaller: apiTokens.findCaller, figures: system.figures, all };
}
