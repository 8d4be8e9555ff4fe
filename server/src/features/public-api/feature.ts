import { connect } from '@roster/contracts/connect';
import { apiChatCompletions } from '@roster/contracts/public-api/chat-completions';
import type { FastifyBaseLogger } from 'fastify';
import type { ApiAssistants } from '#server/features/assistants/api-assistants';
import type { AssistantLabel } from '#server/features/assistants/shared/repository';
import type { ApiThreads } from '#server/features/chat/api-threads/service';
import type { Feature } from '#server/features/feature';
import { createCallRegistry } from '#server/http/public-api/call-registry';
import { connectionRepository } from '#server/provider/connections/connection-repository';
import type { ProviderTimeouts } from '#server/provider/transport/timeouts';
import { accessTokenRepository } from '#server/security/access-token-repository';
import { assistantSearch } from './assistant-models/assistant-search.ts';
import { assistantSettings } from './assistant-models/assistant-settings.ts';
import { apiAssistantFeature } from './assistants/assistants/feature.ts';
import { apiMessageFeature } from './assistants/messages/feature.ts';
import { createMessageSerializer } from './assistants/messages/message-object.ts';
import { apiRunFeature } from './assistants/runs/feature.ts';
import { apiThreadFeature } from './assistants/threads/feature.ts';
import { createPublicResources, createStoredResources } from './assistants/tool-resources.ts';
import { chatCompletionService } from './chat-completions/service.ts';
import { apiFileFeature } from './files/feature.ts';
import { createFileIds } from './files/file-ids.ts';
import { apiModelFeature } from './models/feature.ts';
import { relayFeature } from './relays/feature.ts';
import { responseFeature } from './responses/feature.ts';
import { responseRepository } from './responses/repository.ts';
import { interrupted } from './responses/store.ts';
import { type AssistantModels, assistantModels } from './shared/assistant-models.ts';
import { createCallLog } from './shared/call-log.ts';
import type { Ids } from './shared/ids.ts';
import { modelNames } from './shared/model-names.ts';
import { vectorStoreFeature } from './vector-stores/feature.ts';

/** For the page that shows how to call an assistant by API. */
const connectFeature = (assistantModels: Pick<AssistantModels, 'list'>): Feature => ({
  routes({ route }) {
    route(connect.assistants, async ({ actor }) =>
      (await assistantModels.list(actor.userId)).map(({ assistantId, name, id, alias }) => ({
        id: assistantId,
        name,
        model: id,
        alias: alias ?? null,
      })),
    );
  },
});

/** POST /v1/chat/completions. */
const chatCompletionFeature = (dependencies: Parameters<typeof chatCompletionService>[0]): Feature => ({
  apiRoutes: ({ rawRoute }) => rawRoute(apiChatCompletions.create, chatCompletionService(dependencies)),
});

type Settings = Parameters<typeof assistantSettings>[0];
type VectorStores = Parameters<typeof vectorStoreFeature>[0];
type OwnDependency =
  | 'assistantModels'
  | 'settingsOf'
  | 'calls'
  | 'openCalls'
  | 'ids'
  | 'fileIds'
  | 'knowledge'
  | 'modelNames'
  | 'searchedStores'
  | 'responses';
type Dependencies = Omit<Parameters<typeof apiModelFeature>[0], OwnDependency> &
  Omit<Parameters<typeof chatCompletionFeature>[0], OwnDependency> &
  Omit<Parameters<typeof responseFeature>[0], OwnDependency> &
  Omit<Parameters<typeof relayFeature>[0], OwnDependency> &
  Omit<Parameters<typeof createCallLog>[0], 'db' | 'onAbandoned'> &
  Pick<Parameters<typeof apiFileFeature>[0], 'files'> &
  Omit<VectorStores, OwnDependency> &
  Pick<Settings, 'catalogue' | 'toolBox' | 'fillInstructions'> & {
    provider: Pick<Settings, 'vectorStores'>;
    log: FastifyBaseLogger;
    ids: () => Promise<Ids>;
    providerTimes: Pick<ProviderTimeouts, 'answerMs' | 'backgroundMs'>;
    assistants: {
      labels: (userId: number) => Promise<AssistantLabel[]>;
      apiAssistants: ApiAssistants;
    };
    knowledge: VectorStores['knowledge'] & { forAnswer: Parameters<typeof assistantSearch>[0] };
    conversations: ApiThreads;
    apiRuns: Parameters<typeof apiRunFeature>[0]['apiRuns'];
  };

const recoverEveryMs = 5_000;

/**
 * The provider-compatible API below /v1, built on the same services as the pages.
 * Long: the list of features, each built from those before it.
 */
export function publicApiFeatures(dependencies: Dependencies): Feature[] {
  const { database, assistants, knowledge, files, conversations, apiRuns, log, ids, ...base } = dependencies;
  const { db } = database;
  const named = assistantModels(ids, assistants.labels);
  const openCalls = createCallRegistry(
    accessTokenRepository(db).live,
    (err) => log.error({ err }, 'checking access tokens failed'),
    base.providerTimes.answerMs,
  );
  const calls = createCallLog({
    ...base,
    db,
    onAbandoned: (trx, callId) => responseRepository(trx).fail(callId, interrupted),
  });
  const namedFiles = createFileIds(db, ids);
  const vectors = vectorStoreFeature({ ...base, log, database, ids, fileIds: namedFiles, knowledge });
  const searchedStores = vectors.vectorStores.forAnswer;
  const searchOf = assistantSearch(knowledge.forAnswer, searchedStores);
  const settingsOf = assistantSettings({
    ...base,
    vectorStores: base.provider.vectorStores,
    assistantModels: named,
    assistants: assistants.apiAssistants,
    fileIds: namedFiles,
    searchOf,
  });
  const names = modelNames({
    connections: connectionRepository(db),
    assistantModels: named,
    assistants: assistants.apiAssistants,
  });
  const shared = {
    ...base,
    modelNames: names,
    log,
    calls,
    openCalls,
    settingsOf,
    assistantModels: named,
    database,
    ids,
    fileIds: namedFiles,
    searchedStores,
  };
  // The retired Assistants API, version 2, over Roster's own assistants and conversations.
  const assistantsApi = {
    ...shared,
    assistants: assistants.apiAssistants,
    conversations,
    apiRuns,
    searchOf,
    keptResources: createStoredResources(namedFiles, vectors.vectorStores),
    shownResources: createPublicResources(namedFiles),
    objectsOf: createMessageSerializer(shared),
  };
  const responses = responseFeature({ ...shared, files });
  return [
    {
      recover: calls.recover,
      upkeep: [{ everyMs: recoverEveryMs, run: calls.recover }],
      close: async () => openCalls.close(),
    },
    apiModelFeature(shared),
    chatCompletionFeature({ ...shared, responses: responses.responses }),
    responses,
    relayFeature(shared),
    vectors,
    connectFeature(named),
    apiFileFeature({ files, openCalls, fileIds: namedFiles }),
    apiAssistantFeature(assistantsApi),
    apiThreadFeature(assistantsApi),
    apiMessageFeature(assistantsApi),
    apiRunFeature(assistantsApi),
  ];
}
