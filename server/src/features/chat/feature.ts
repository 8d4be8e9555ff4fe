import type { FastifyBaseLogger } from 'fastify';
import type { FillInstructions } from '#server/conversation/fill-instructions';
import type { ToolRegistry } from '#server/conversation/tools';
import type { OpenDatabase } from '#server/db/connect';
import type { Presence } from '#server/db/presence';
import type { KnowledgeService } from '#server/features/assistants/knowledge/service';
import type { AssistantRepository } from '#server/features/assistants/shared/repository';
import type { FileRepository } from '#server/features/files/repository';
import type { RetirementGuard } from '#server/features/models/retirement/guard';
import type { ModelService } from '#server/features/models/service';
import type { ProjectFileService } from '#server/features/projects/files/service';
import type { ProjectRepository } from '#server/features/projects/shared/repository';
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
import { chatRemovalPart, conversationExport } from './account-data.ts';
import { createApiRuns } from './api-threads/runs.ts';
import { apiThreads } from './api-threads/service.ts';
import { type CollectGeneratedFile, generatedFileService } from './generated-files/service.ts';
import type { FileStorage } from './generated-files/store.ts';
import { importedThreads } from './imported-threads/service.ts';
import { internalThreadService } from './internal-threads/service.ts';
import { automaticSummaries } from './messages/automatic-summaries.ts';
import { type CodeCopies, createRunBuilder } from './messages/build-run.ts';
import { messageExportRepository } from './messages/export-repository.ts';
import { messageFinder } from './messages/find.ts';
import { messagePages } from './messages/pages.ts';
import { ratingService } from './messages/ratings.ts';
import type { MessageContext } from './messages/start-turn.ts';
import { questionHistory } from './question-history/service.ts';
import { queueExport } from './queue/export-part.ts';
import { messageQueueService } from './queue/service.ts';
import { queueStarter } from './queue/start-next.ts';
import { chatRoutes } from './routes.ts';
import { eventRepository } from './runs/events/event-repository.ts';
import { type PartialAnswers, partialAnswers } from './runs/events/partial-answers.ts';
import { createRunExecutor, type RunExecutor } from './runs/executor.ts';
import { runClaimRepository } from './runs/lifecycle/claim-repository.ts';
import { createRunFinalizer, type InternalAnswerEnded } from './runs/lifecycle/finalize.ts';
import { readToolLoopSettings } from './runs/lifecycle/run-spec.ts';
import { runApprovals } from './runs/tools/approvals.ts';
import { chatTasks } from './scheduled-tasks.ts';
import { threadSearch } from './search/service.ts';
import { attachmentReader } from './shared/attachments.ts';
import { branchRepository } from './shared/branch-repository.ts';
import { chatTargetFinder } from './shared/chat-target.ts';
import { messageRepository } from './shared/message-repository.ts';
import { runRepository } from './shared/run-repository.ts';
import { searchRepository } from './shared/search-repository.ts';
import { threadRepository } from './shared/thread-repository.ts';
import { summaryService } from './summaries/service.ts';
import { summaryWriter } from './summaries/write-summary.ts';
import { type TemporaryThreadService, temporaryThreadService } from './temporary-threads/service.ts';
import { conversationDownloads } from './threads/export.ts';
import { threadService } from './threads/service.ts';
import { titleSuggester } from './threads/titles.ts';
import { type TrashService, trashService } from './trash/service.ts';
import { trialService } from './trials/service.ts';

type Dependencies = {
  database: OpenDatabase;
  presence: Presence;
  provider: Provider;
  catalogue: Catalogue;
  metrics: Metrics;
  tracing: Tracing;
  keys: ProviderKeyService;
  models: Pick<ModelService, 'defaultModel' | 'knownDefault' | 'checkExists' | 'list'> & { ended: RetirementGuard };
  /** The model that the user has chosen for titles. */
  titleModel: (userId: number) => Promise<string | null>;
  assistants: Pick<AssistantRepository, 'find'>;
  projects: Pick<ProjectRepository, 'find'> & { knowledge: ProjectFileService['forAnswer'] };
  pricing: Pick<PricingService, 'price' | 'toolUsage'>;
  budgets: Pick<BudgetService, 'check'>;
  knowledge: Pick<KnowledgeService, 'forAnswer'>;
  files: Pick<FileRepository, 'stored'> &
    FileStorage['files'] & {
      copies: CodeCopies;
      remove: (userId: number, fileId: number) => Promise<unknown>;
    };
  store: Pick<FileStore, 'read'>;
  streams: EventStreams;
  fillInstructions: FillInstructions;
  now: () => number;
  toolBox: ToolRegistry;
  toolCallMs: number;
  /** Called in the transaction that ends the answer to an internal prompt. */
  sideAnswerEnded: InternalAnswerEnded;
  log: FastifyBaseLogger;
};

/** Threads, messages, and the runs that write the answers. */
export function chatFeature(dependencies: Dependencies) {
  const { database, streams, store, files, log } = dependencies;
  const attachments = attachmentReader(files, store);
  const generatedFiles = generatedFileService({ ...dependencies, db: database.db });
  const executor = createExecutor(dependencies, generatedFiles.collect);
  const parts: Parts = { ...dependencies, executor, partialAnswers: partialAnswers(database.db, executor) };
  const exported = partialAnswers(database.reader, executor);
  const temporary = temporaryThreadService(parts);
  const trash = trashService(database.db, executor);
  const context = createMessageContext(parts);
  const summaries = summaryService(context, createSummaryWriter(parts, context));
  const starter = queueStarter(context, log);
  executor.whenEnded(({ userId, threadId }) => void starter.startNext(userId, threadId));
  const routeParts = {
    threads: createThreads({ ...parts, temporary, trash }),
    temporary,
    trash,
    trials: createTrials(parts),
    messages: context,
    summaries,
    queue: messageQueueService({ context, executor, starter }),
    ratings: ratingService(database),
    ...createReading(parts),
    runs: runRepository(database.db),
    executor,
    approve: createApprovals(parts),
    streams,
  };

  return {
    routes: (router: Router) => chatRoutes(router, routeParts),
    /** Runs that API clients start. */
    apiRuns: createApiRuns(runContext(parts)),
    attachments,
    /** Threads and messages of API clients. */
    apiThreads: apiThreads({ database, attachments, executor }),
    moveToTrash: (userId: number, ids: number[]) => trash.change(userId, { ids, action: 'delete' }),
    /** Conversations from other products. */
    importedThreads: importedThreads({ ...database, store, files }),
    /** Questions that assistants have answered. */
    questionHistory: questionHistory(database),
    /** Prompts of other features, which run like messages but appear in no list. */
    internalThreads: internalThreadService({ ...runContext(parts), database, exported, now: dependencies.now }),
    jobs: [...generatedFiles.jobs, ...trash.jobs, ...summaries.jobs],
    upkeep: [
      ...chatTasks({ executor, startDue: starter.startDue, search: searchRepository(database.db) }),
      ...generatedFiles.upkeep,
      ...temporary.upkeep,
      ...trash.upkeep,
    ],
    removalPart: chatRemovalPart(executor),
    exportParts: [conversationExport(database, exported), queueExport(database)],
    recover: () => recover(generatedFiles, executor, log),
    /** Gives active runs time to end. */
    async close() {
      await executor.drain();
      await starter.close();
    },
  };
}

async function recover(
  generatedFiles: { recover: () => Promise<unknown> },
  executor: RunExecutor,
  log: FastifyBaseLogger,
) {
  await generatedFiles.recover();
  const recovered = await executor.recover();
  if (recovered > 0) log.warn({ recovered }, 'answers that a crash cut off were marked as interrupted');
}

type Parts = Dependencies & { executor: RunExecutor; partialAnswers: PartialAnswers };

/** Dependencies of everything that starts runs. */
const runContext = ({ database, presence, executor, keys, budgets, models }: Parts) => ({
  db: database.db,
  instance: presence.instance,
  executor,
  openKey: keys.open,
  checkBudget: budgets.check,
  endedModels: models.ended,
});

/** An approval is rejected if the run could not continue, so that the user can fix that first. */
const createApprovals = ({ database, presence, executor, keys, budgets }: Parts) =>
  runApprovals({
    database,
    instance: presence.instance,
    executor,
    async checkResumable(userId, call, settings) {
      const { answerer: target, overBudget } = readToolLoopSettings(settings);
      await keys.open(userId, target.model);
      if (!overBudget) await budgets.check(userId, call, 'Raise it in Analytics, then approve the call.');
    },
  });

function createExecutor(dependencies: Dependencies, collectFile: CollectGeneratedFile) {
  const { database, pricing, keys, models, budgets, knowledge, projects, files, store } = dependencies;
  const { db } = database;
  const withDb = { ...dependencies, db };
  return createRunExecutor({
    ...withDb,
    runs: runRepository(db),
    claims: runClaimRepository(db),
    events: eventRepository(db),
    buildRequest: createRunBuilder({
      ...withDb,
      defaultModel: models.defaultModel,
      openKey: keys.open,
      checkBudget: budgets.check,
      findProject: projects.find,
      knowledgeOf: knowledge.forAnswer,
      projectKnowledgeOf: projects.knowledge,
      attachments: attachmentReader(files, store),
      copies: files.copies,
      summariesSettled: automaticSummaries(withDb).settled,
    }),
    finalizer: createRunFinalizer({ db, pricing, onInternalAnswerEnded: dependencies.sideAnswerEnded }),
    onKeyRejected: keys.noteRejected,
    onComplete: titleSuggester({ ...withDb, openKey: keys.open, checkBudget: budgets.check }),
    collectFile,
  });
}

type ThreadParts = Parts & { temporary: TemporaryThreadService; trash: TrashService };
const createThreads = ({ database, partialAnswers, assistants, projects, models, temporary, trash }: ThreadParts) =>
  threadService({
    database,
    projects,
    temporary,
    trash,
    search: threadSearch(database, partialAnswers),
    ownsAssistant: async (userId, id) => (await assistants.find(userId, id)) !== undefined,
    checkModels: models.checkExists,
  });

const createTrials = ({ database: { db }, assistants, models }: Parts) =>
  trialService({
    db,
    ownsAssistant: async (userId, id) => (await assistants.find(userId, id)) !== undefined,
    checkModels: models.checkExists,
  });

function createMessageContext(parts: Parts): MessageContext {
  const { catalogue, models, assistants, projects, knowledge, files, store, partialAnswers } = parts;
  return {
    ...runContext(parts),
    checkModels: models.checkExists,
    retiredModels: models.ended,
    findTargets: chatTargetFinder({
      catalogue,
      findAssistant: assistants.find,
      findProject: projects.find,
      knownDefaultModel: models.knownDefault,
      knowledgeOf: knowledge.forAnswer,
      projectKnowledgeOf: projects.knowledge,
    }),
    attachments: attachmentReader(files, store),
    partialAnswers,
    earlier: automaticSummaries({ ...parts, db: parts.database.db }),
  };
}

const createSummaryWriter = (parts: Parts, { openKey, findTargets }: MessageContext) =>
  summaryWriter({
    ...parts,
    ...{ db: parts.database.db, openKey, findTargets, defaultModel: parts.models.defaultModel },
  });

function createReading({ database, partialAnswers }: Parts) {
  const { db, reader } = database;
  const messages = messageRepository(db);
  const branches = branchRepository(db);
  const pages = messagePages(threadRepository(db), messages, branches, partialAnswers);
  const exportedMessages = messageExportRepository(db);
  const downloads = conversationDownloads({ pages, messages, branches, exportedMessages, partialAnswers });
  const find = messageFinder(threadRepository(db), messages, branchRepository(reader));
  return { pages, find, downloads };
}
