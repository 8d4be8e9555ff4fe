import type { FastifyBaseLogger } from 'fastify';
import type { OpenDatabase } from '#server/db/connect';
import type { Feature } from '#server/feature';
import type { AssistantLabel } from '#server/features/assistants/repository';
import { createOpenCalls } from '#server/http/open-calls';
import { accessTokenRepository } from '#server/security/access-token-repository';
import { assistantModels } from './assistant-models.ts';
import { assistantsApiFeatures } from './assistants/feature.ts';
import { chatCompletionFeature } from './chat-completions/feature.ts';
import { apiFileFeature } from './files/feature.ts';
import { fileIds } from './files/file-ids.ts';
import { idKey } from './id-key-repository.ts';
import { createIds, type Ids } from './ids.ts';
import { apiModelFeature } from './models/feature.ts';

type Chat = Parameters<typeof chatCompletionFeature>[0];
type AssistantsApi = Parameters<typeof assistantsApiFeatures>[0];
type Dependencies = Omit<Parameters<typeof apiModelFeature>[0], 'assistantModels'> &
  Pick<Parameters<typeof apiFileFeature>[0], 'files'> &
  Omit<Chat, 'assistantModels' | 'openCalls' | 'db' | 'findAssistant' | 'knowledgeOf'> & {
    database: Pick<OpenDatabase, 'db'>;
    log: FastifyBaseLogger;
    assistants: {
      labels: (userId: number) => Promise<AssistantLabel[]>;
      find: Chat['findAssistant'];
      forPrograms: AssistantsApi['assistants'];
    };
    knowledge: { forAnswer: Chat['knowledgeOf'] };
    conversations: AssistantsApi['conversations'];
    programRuns: AssistantsApi['programRuns'];
  };

/** What programs call under /v1: the provider's API over the same services that the pages use. */
export function openAiApiFeatures(dependencies: Dependencies): Feature[] {
  const { database, assistants, knowledge, files, conversations, programRuns, log, ...base } = dependencies;
  const { db } = database;
  let made: Promise<Ids> | undefined;
  /** The key is read with the first call that needs it. */
  function ids(): Promise<Ids> {
    made ??= idKey(db)
      .then(createIds)
      .catch((error: unknown) => {
        made = undefined;
        throw error;
      });
    return made;
  }
  const named = assistantModels({ ids, labels: assistants.labels });
  const namedFiles = fileIds({ db, ids });
  const openCalls = createOpenCalls(accessTokenRepository(db).live, (err) =>
    log.error({ err }, 'checking access tokens failed'),
  );
  return [
    apiModelFeature({ ...base, assistantModels: named }),
    chatCompletionFeature({
      ...base,
      db,
      openCalls,
      assistantModels: named,
      findAssistant: assistants.find,
      knowledgeOf: knowledge.forAnswer,
    }),
    apiFileFeature({ files, openCalls, fileIds: namedFiles }),
    ...assistantsApiFeatures({
      assistants: assistants.forPrograms,
      conversations,
      ids,
      fileIds: namedFiles,
      assistantModels: named,
      programRuns,
      openCalls,
      catalogue: base.catalogue,
      knowledgeOf: knowledge.forAnswer,
      // Their own stores are searched once programs have them.
      searchedStores: async (_userId, storeIds) => ({ storeIds: [], missing: storeIds }),
    }),
  ];
}
