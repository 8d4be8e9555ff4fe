import type { FastifyBaseLogger } from 'fastify';
import type { OpenDatabase } from '../../db/connect.ts';
import type { Presence } from '../../db/presence.ts';
import type { EventStreams } from '../../http/event-stream.ts';
import type { Router } from '../../http/router.ts';
import type { Catalogue } from '../../provider/catalogue.ts';
import type { Provider } from '../../provider/provider.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { ProviderKeyService } from '../account/provider-key.ts';
import type { KnowledgeService } from '../assistants/knowledge/service.ts';
import type { AssistantRepository } from '../assistants/repository.ts';
import type { FileRepository } from '../files/repository.ts';
import type { ModelService } from '../models/service.ts';
import type { BudgetService } from '../usage/budgets.ts';
import type { PricingService } from '../usage/pricing.ts';
import { chatRemovalPart } from './account-removal.ts';
import { conversationExport } from './export-part.ts';
import { answererFinder } from './messages/answerer.ts';
import { attachmentReader } from './messages/attachments.ts';
import { messagePages } from './messages/pages.ts';
import { ratingService } from './messages/ratings.ts';
import { messageRepository } from './messages/repository.ts';
import { messageService } from './messages/service.ts';
import { chatRoutes } from './routes.ts';
import { runEndings } from './runs/end.ts';
import { runExecutor } from './runs/executor.ts';
import { answersUnderWay } from './runs/partial-answers.ts';
import { runRepository } from './runs/repository.ts';
import { searchRepository } from './search/repository.ts';
import { asideService } from './side-questions/service.ts';
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
  /** What assistants know from files. */
  knowledge: Pick<KnowledgeService, 'forAnswer'>;
  /** What is attached to messages. */
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
  const runs = runRepository(db);
  const executor = runExecutor({
    runs,
    provider,
    presence,
    log,
    endings: runEndings({ db, pricing }),
    onKeyRejected: keys.noteRejected,
    onComplete: titleSuggester({ db, provider, catalogue, pricing }),
  });
  const underWay = answersUnderWay({ executor, runs, messages: messageRows });
  const threads = threadService({
    database,
    executor,
    underWay,
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
  const aside = asideService({
    database,
    executor,
    catalogue,
    instance: presence.instance,
    openKey: keys.open,
    checkBudget: budgets.check,
  });
  const pages = messagePages(threadRepository(db), messageRows, underWay);
  const ratings = ratingService(database);

  return {
    routes: (router: Router) =>
      chatRoutes(router, { threads, messages, ratings, pages, messageRows, runs, executor, streams }),
    /** Questions of other features, beside the conversations. */
    aside,
    upkeep: chatUpkeep({ executor, search: searchRepository(db) }),
    removalPart: chatRemovalPart(executor),
    exportParts: [conversationExport(database)],
    async recover() {
      const recovered = await executor.recover();
      if (recovered > 0) log.warn({ recovered }, 'answers that a crash cut off were marked as interrupted');
    },
    /** Lets answers that are being written end. */
    close: executor.drain,
  };
}
