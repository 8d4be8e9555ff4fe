import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { ToolRegistry } from '#server/conversation/tools';
import type { OpenDatabase } from '#server/db/connect';
import type { Presence } from '#server/db/presence';
import type { Database } from '#server/db/schema';
import type { KnowledgeService } from '#server/features/assistants/knowledge/service';
import type { AssistantRepository } from '#server/features/assistants/shared/repository';
import type { FileRepository } from '#server/features/files/repository';
import type { RetirementGuard } from '#server/features/models/retirement/guard';
import type { ModelService } from '#server/features/models/service';
import type { BudgetService } from '#server/features/usage/budgets';
import type { PricingService } from '#server/features/usage/pricing';
import type { Router } from '#server/http/app-router/router';
import type { EventStreams } from '#server/http/streaming/event-stream';
import type { Metrics } from '#server/metrics/metrics';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Provider } from '#server/provider/provider';
import type { FileStore } from '#server/storage/file-store';
import type { Tracing } from '#server/tracing/tracing';
import { chatRemovalPart } from './account-removal.ts';
import { askedQuestions } from './asked-questions/service.ts';
import { conversationExport } from './export-part.ts';
import { madeFileFetching } from './made-files/fetch.ts';
import type { Keeping } from './made-files/store.ts';
import { madeFileTaker } from './made-files/take.ts';
import { answererFinder } from './messages/answerer.ts';
import { attachmentReader } from './messages/attachments.ts';
import { branchRepository } from './messages/branch-repository.ts';
import { messageExportRepository } from './messages/export-repository.ts';
import { messageFinder } from './messages/find.ts';
import { messagePages } from './messages/pages.ts';
import { ratingService } from './messages/ratings.ts';
import { messageRepository } from './messages/repository.ts';
import {
  type CodeCopies,
  type ContinuedOrder,
  type OrderAgain,
  type OrderMaker,
  orderMaker,
  readLoopSettings,
} from './messages/run-order.ts';
import { messageService } from './messages/service.ts';
import { programConversations } from './programs/service.ts';
import { chatRoutes } from './routes.ts';
import { runApprovals } from './runs/approvals.ts';
import { runEndings, type SideAnswerEnded } from './runs/end.ts';
import { eventRepository } from './runs/event-repository.ts';
import { type RunExecutor, runExecutor } from './runs/executor.ts';
import { type PartialAnswers, partialAnswers } from './runs/partial-answers.ts';
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
  metrics: Metrics;
  tracing: Tracing;
  keys: ProviderKeyService;
  models: Pick<ModelService, 'defaultModel' | 'knownDefault' | 'checkKnown' | 'list'> & { ended: RetirementGuard };
  /** Which model a person wants to name conversations. */
  titleModel: (userId: number) => Promise<string | null>;
  assistants: Pick<AssistantRepository, 'find'>;
  pricing: Pick<PricingService, 'price' | 'toolUsage'>;
  budgets: Pick<BudgetService, 'check'>;
  /** The knowledge of assistants. */
  knowledge: Pick<KnowledgeService, 'forAnswer'>;
  /** The attachments of messages. */
  files: Pick<FileRepository, 'stored'> & Keeping['files'] & { copies: CodeCopies };
  store: Pick<FileStore, 'read'>;
  streams: EventStreams;
  /** The tools of tool servers. */
  toolBox: ToolRegistry;
  toolCallMs: number;
  /** In the transaction that ends the answer to a side question. */
  sideAnswerEnded: SideAnswerEnded;
  log: FastifyBaseLogger;
};

/** Conversations: threads, messages, and the runs that answer them. */
export function chatFeature(dependencies: Dependencies) {
  const { database, streams, log } = dependencies;
  const orders = createOrders(dependencies);
  const executor = createExecutor({ ...dependencies, ...orders });
  const parts: Parts = { ...dependencies, ...orders, executor, underWay: partialAnswersIn(database.db, executor) };
  const exported = partialAnswersIn(database.reader, executor);
  const attachments = attachmentReader(dependencies);
  const madeFiles = madeFileFetching({ ...dependencies, db: database.db });
  const messages = createMessages(parts);
  const routeParts = {
    threads: createThreads(parts),
    messages,
    ratings: ratingService(database),
    ...createReading(parts),
    runs: runRepository(database.db),
    executor,
    approve: createApprovals(parts),
    streams,
  };

  return {
    routes: (router: Router) => chatRoutes(router, routeParts),
    /** The runs that programs ask for. */
    programRuns: messages.ofPrograms,
    /** What a model reads of files. */
    attachments,
    /** What programs do with conversations. */
    forPrograms: programConversations({
      database,
      attachments,
      removeThread: routeParts.threads.remove,
    }),
    /** What assistants were asked in conversations. */
    askedQuestions: askedQuestions(database),
    /** Questions of other features, beside the conversations. */
    sideQuestions: createSideQuestions(parts, exported),
    jobs: madeFiles.jobs,
    upkeep: [...chatUpkeep({ executor, search: searchRepository(database.db) }), ...madeFiles.upkeep],
    removalPart: chatRemovalPart(executor),
    exportParts: [conversationExport(database, exported)],
    async recover() {
      await madeFiles.recover();
      const recovered = await executor.recover();
      if (recovered > 0) log.warn({ recovered }, 'answers that a crash cut off were marked as interrupted');
    },
    /** Lets answers that are being written end. */
    close: executor.drain,
  };
}

type Orders = { orderOf: OrderMaker; orderAgain: OrderAgain; continuedOrder: ContinuedOrder };
type Parts = Dependencies & Orders & { executor: RunExecutor; underWay: PartialAnswers };

const createOrders = (dependencies: Dependencies): Orders => {
  const { database, keys, models, budgets, knowledge, files, store } = dependencies;
  return orderMaker({
    ...dependencies,
    db: database.db,
    defaultModel: models.defaultModel,
    openKey: keys.open,
    checkBudget: budgets.check,
    knowledgeOf: knowledge.forAnswer,
    attachments: attachmentReader({ files, store }),
    copies: files.copies,
  });
};

/** A person who approves a call is told before it is made where the answer could not go on. */
const createApprovals = ({ database, presence, executor, keys, budgets }: Parts) =>
  runApprovals({
    database,
    instance: presence.instance,
    executor,
    async checkGoingOn(userId, assistantId, settings) {
      await keys.open(userId);
      const { overBudget } = readLoopSettings(settings);
      if (!overBudget) await budgets.check(userId, assistantId, 'Raise it in Analytics, then approve the call.');
    },
  });

function createExecutor(dependencies: Dependencies & Orders) {
  const { database, pricing, keys, sideAnswerEnded } = dependencies;
  const { db } = database;
  return runExecutor({
    ...dependencies,
    db,
    runs: runRepository(db),
    events: eventRepository(db),
    endings: runEndings({ db, pricing, sideAnswerEnded }),
    onKeyRejected: keys.noteRejected,
    onComplete: titleSuggester({ ...dependencies, db }),
    takeMade: madeFileTaker({ ...dependencies, db }),
  });
}

const partialAnswersIn = (db: Kysely<Database>, executor: RunExecutor) =>
  partialAnswers({ executor, events: eventRepository(db), messages: messageRepository(db) });

const createThreads = ({ database, executor, underWay, assistants, models }: Parts) =>
  threadService({
    database,
    executor,
    search: threadSearch({ database, underWay }),
    ownsAssistant: async (userId, id) => (await assistants.find(userId, id)) !== undefined,
    checkModels: models.checkKnown,
  });

function createMessages(parts: Parts) {
  const { catalogue, presence, keys, models, assistants, budgets, knowledge, files, store } = parts;
  return messageService({
    ...parts,
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
    endedModels: models.ended,
    attachments: attachmentReader({ files, store }),
  });
}

function createReading({ database, underWay }: Parts) {
  const { db } = database;
  const messages = messageRepository(db);
  const branches = branchRepository(db);
  const pages = messagePages(threadRepository(db), messages, branches, underWay);
  const downloads = conversationDownloads({ pages, messages, branches, kept: messageExportRepository(db), underWay });
  const { reader } = database;
  const find = messageFinder(threadRepository(db), messages, branchRepository(reader));
  return { pages, find, downloads };
}

const createSideQuestions = ({ presence, keys, budgets, knowledge, ...parts }: Parts, exported: PartialAnswers) =>
  sideQuestionService({
    ...parts,
    exported,
    instance: presence.instance,
    openKey: keys.open,
    checkBudget: budgets.check,
    knowledgeOf: knowledge.forAnswer,
  });
