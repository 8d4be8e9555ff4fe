import type { FastifyBaseLogger } from 'fastify';
import type { OpenDatabase } from '#server/db/connect';
import type { Presence } from '#server/db/presence';
import type { ProviderKeyService } from '#server/features/account/provider-key';
import type { KnowledgeService } from '#server/features/assistants/knowledge/service';
import type { AssistantRepository } from '#server/features/assistants/repository';
import type { FileRepository } from '#server/features/files/repository';
import type { ModelService } from '#server/features/models/service';
import type { BudgetService } from '#server/features/usage/budgets';
import type { PricingService } from '#server/features/usage/pricing';
import type { EventStreams } from '#server/http/event-stream';
import type { Router } from '#server/http/router';
import type { Catalogue } from '#server/provider/catalogue';
import type { Provider } from '#server/provider/provider';
import type { FileStore } from '#server/storage/file-store';
import { chatRemovalPart } from './account-removal.ts';
import { conversationExport } from './export-part.ts';
import { answererFinder } from './messages/answerer.ts';
import { attachmentReader } from './messages/attachments.ts';
import { branchRepository } from './messages/branch-repository.ts';
import { messageExportRepository } from './messages/export-repository.ts';
import { messagePages } from './messages/pages.ts';
import { ratingService } from './messages/ratings.ts';
import { messageRepository } from './messages/repository.ts';
import { messageService } from './messages/service.ts';
import { chatRoutes } from './routes.ts';
import { runEndings } from './runs/end.ts';
import { eventRepository } from './runs/event-repository.ts';
import { runExecutor } from './runs/executor.ts';
import { partialAnswers } from './runs/partial-answers.ts';
import { runRepository } from './runs/repository.ts';
import { searchRepository } from './search/repository.ts';
import { threadSearch } from './search/service.ts';
import { sideQuestionService } from './side-questions/service.ts';
import { conversationDownloads } from './threads/export.ts';
import { threadRepository } from './threads/repository.ts';
import { threadService } from './threads/service.ts';
import { titleSuggester } from './threads/titles.ts';
import { chatUpkeep } from './upkeep.ts';

type Dependencies = {
  database: OpenDatabase;
  presence: Presence;
  provider: Provider;
  catalogue: Catalogue;
  keys: ProviderKeyService;
  models: Pick<ModelService, 'defaultModel' | 'knownDefault' | 'checkKnown'>;
  assistants: Pick<AssistantRepository, 'find'>;
  pricing: Pick<PricingService, 'price'>;
  budgets: Pick<BudgetService, 'check'>;
  /** The knowledge of assistants. */
  knowledge: Pick<KnowledgeService, 'forAnswer'>;
  /** The attachments of messages. */
  files: Pick<FileRepository, 'stored'>;
  store: Pick<FileStore, 'read'>;
  streams: EventStreams;
  log: FastifyBaseLogger;
};

/** Conversations: threads, messages, and the runs that answer them. */
export function chatFeature(dependencies: Dependencies) {
  const { database, presence, provider, catalogue, keys, models, assistants, pricing, budgets, knowledge } =
    dependencies;
  const { files, store, streams, log } = dependencies;
  const { db } = database;
  const messageRows = messageRepository(db);
  const branches = branchRepository(db);
  const runs = runRepository(db);
  const events = eventRepository(db);
  const executor = runExecutor({
    runs,
    events,
    provider,
    presence,
    log,
    endings: runEndings({ db, pricing }),
    onKeyRejected: keys.noteRejected,
    onComplete: titleSuggester({ db, provider, catalogue, pricing }),
  });
  const underWay = partialAnswers({ executor, events, messages: messageRows });
  const threads = threadService({
    database,
    executor,
    search: threadSearch({ database, underWay }),
    ownsAssistant: async (userId, id) => (await assistants.find(userId, id)) !== undefined,
    checkModels: models.checkKnown,
  });
  const messages = messageService({
    database,
    executor,
    catalogue,
    instance: presence.instance,
    openKey: keys.open,
    checkBudget: budgets.check,
    answerersFor: answererFinder({
      catalogue,
      findAssistant: assistants.find,
      knownDefaultModel: models.knownDefault,
      knowledgeOf: knowledge.forAnswer,
    }),
    checkModels: models.checkKnown,
    defaultModel: models.defaultModel,
    attachments: attachmentReader({ files, store }),
    underWay,
  });
  const sideQuestions = sideQuestionService({
    database,
    executor,
    catalogue,
    instance: presence.instance,
    openKey: keys.open,
    checkBudget: budgets.check,
  });
  const pages = messagePages(threadRepository(db), messageRows, branches, underWay);
  const downloads = conversationDownloads({
    pages,
    messages: messageRows,
    branches,
    kept: messageExportRepository(db),
  });
  const ratings = ratingService(database);

  return {
    routes: (router: Router) =>
      chatRoutes(router, { threads, messages, ratings, pages, downloads, runs, executor, streams }),
    /** Side questions, for other features. */
    sideQuestions,
    upkeep: chatUpkeep({ executor, search: searchRepository(db) }),
    removalPart: chatRemovalPart(executor),
    exportParts: [conversationExport(database)],
    async recover() {
      const recovered = await executor.recover();
      if (recovered > 0) log.warn({ recovered }, 'answers that a crash cut off were marked as interrupted');
    },
    /** Waits for live runs to end. */
    close: executor.drain,
  };
}
