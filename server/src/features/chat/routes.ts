import { chat as api } from '@roster/contracts/chat';
import { messageQueue } from '@roster/contracts/message-queue';
import { withReference } from '@roster/contracts/models/connection-of-model';
import { summaries as summariesApi } from '@roster/contracts/summaries';
import { temporaryThreads } from '@roster/contracts/temporary-threads';
import { trash as trashApi } from '@roster/contracts/trash';
import { trials as trialsApi } from '@roster/contracts/trials';
import type { Router } from '#server/http/app-router/router';
import type { EventStreams } from '#server/http/streaming/event-stream';
import { AppError } from '#server/lib/errors';
import { continueAnswer } from './messages/continue.ts';
import type { MessageFinder } from './messages/find.ts';
import type { MessagePages } from './messages/pages.ts';
import type { RatingService } from './messages/ratings.ts';
import { findMessage, listAnswers } from './messages/read.ts';
import { regenerateAnswer } from './messages/regenerate.ts';
import { sendMessage } from './messages/send.ts';
import type { MessageContext } from './messages/start-turn.ts';
import type { MessageQueueService } from './queue/service.ts';
import type { RunExecutor } from './runs/executor.ts';
import type { RunApprovals } from './runs/tools/approvals.ts';
import type { RunRepository } from './shared/run-repository.ts';
import type { SummaryService } from './summaries/service.ts';
import type { TemporaryThreadService } from './temporary-threads/service.ts';
import type { ConversationDownloads } from './threads/export.ts';
import type { ThreadService } from './threads/service.ts';
import type { TrashService } from './trash/service.ts';
import type { TrialService } from './trials/service.ts';

type Dependencies = {
  threads: ThreadService;
  temporary: Pick<TemporaryThreadService, 'keep' | 'leave' | 'reopen'>;
  trash: TrashService;
  trials: TrialService;
  messages: MessageContext;
  ratings: RatingService;
  pages: MessagePages;
  find: MessageFinder;
  downloads: ConversationDownloads;
  runs: RunRepository;
  executor: RunExecutor;
  approve: RunApprovals;
  streams: EventStreams;
  queue: MessageQueueService;
  summaries: SummaryService;
};

/** Number of the last event that the reader has seen; 0: none. */
function lastEventId(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,9}$/.test(header) ? Number(header) : 0;
}

export function chatRoutes(router: Router, dependencies: Dependencies) {
  const { route, rawRoute } = router;
  orderRoutes(router, dependencies);
  queueRoutes(router, dependencies);
  summaryRoutes(router, dependencies);
  const { threads, messages, ratings, pages, find, downloads, runs, executor, approve, streams } = dependencies;

  async function ownRun(userId: number, runId: number) {
    const run = await runs.find(userId, runId);
    if (!run) throw new AppError('not_found', 'This run does not exist.');
    return run;
  }

  route(api.threads, ({ actor, query }) => threads.list(actor.userId, query));
  route(api.createThread, ({ actor, body }) => threads.create(actor.userId, withReference(body)));
  route(api.thread, ({ actor, params }) => threads.find(actor.userId, params.id));
  route(api.updateThread, ({ actor, params, body }) => threads.update(actor.userId, params.id, withReference(body)));
  route(api.removeThread, ({ actor, params }) => threads.remove(actor.userId, params.id));
  route(api.messages, ({ actor, params, query }) => pages(actor.userId, params.id, query));
  route(api.findInThread, ({ actor, params, query }) => find(actor.userId, params.id, query));
  route(api.answers, ({ actor, params }) => listAnswers(messages, actor.userId, params.id));
  route(api.send, ({ actor, params, body }) =>
    sendMessage(messages, { ...body, userId: actor.userId, threadId: params.id }),
  );
  route(api.regenerate, ({ actor, params, body }) =>
    regenerateAnswer(messages, { ...body, userId: actor.userId, messageId: params.id }),
  );
  route(api.continue, ({ actor, params, body }) =>
    continueAnswer(messages, { ...body, userId: actor.userId, messageId: params.id }),
  );
  route(api.rate, async ({ actor, params, body }) => {
    await ratings.rate(actor.userId, params.id, body);
    return findMessage(messages, actor.userId, params.id);
  });
  route(api.responseSchema, async ({ actor, params }) => {
    const run = await ownRun(actor.userId, params.id);
    return { schema: (await runs.responseSchemas(actor.userId, [run.id])).get(run.id) ?? null };
  });
  route(api.approve, ({ actor, params, body }) => approve(actor, params.id, { ...body, callId: params.callId }));
  route(api.stop, async ({ actor, params }) => {
    const run = await ownRun(actor.userId, params.id);
    await executor.stop(actor.userId, run.id);
    return ownRun(actor.userId, params.id);
  });
  rawRoute(api.events, async ({ actor, params, request, reply }) => {
    const run = await ownRun(actor.userId, params.id);
    const stream = streams.open(request, reply, actor);
    await executor.watch(actor, run, lastEventId(request.headers['last-event-id']), stream);
  });
  rawRoute(api.exportThread, async ({ actor, params, query, reply }) => {
    const thread = await threads.record(actor.userId, params.id);
    const { type, name, content } = downloads(actor.userId, thread, query.format);
    return reply.type(type).header('content-disposition', `attachment; filename="${name}"`).send(content);
  });
}

/** Temporary conversations and trials, the trash, and changes of several conversations. */
function orderRoutes(
  { route }: Router,
  { temporary, trash, trials }: Pick<Dependencies, 'temporary' | 'trash' | 'trials'>,
) {
  route(trialsApi.begin, ({ actor, body }) => trials.begin(actor, body));
  route(trialsApi.change, ({ actor, params, body }) => trials.change(actor, params.id, body.settings));
  route(temporaryThreads.keep, ({ actor, params }) => temporary.keep(actor.userId, params.id));
  route(temporaryThreads.leave, ({ actor, params }) => temporary.leave(actor.userId, params.id));
  route(temporaryThreads.reopen, ({ actor, params }) => temporary.reopen(actor.userId, params.id));
  route(trashApi.list, ({ actor, query }) => trash.list(actor.userId, query));
  route(trashApi.find, ({ actor, params }) => trash.find(actor.userId, params.id));
  route(trashApi.restore, ({ actor, params }) => trash.restore(actor.userId, params.id));
  route(trashApi.remove, ({ actor, params }) => trash.remove(actor.userId, params.id));
  route(trashApi.empty, ({ actor }) => trash.empty(actor.userId));
  route(trashApi.change, ({ actor, body }) => trash.change(actor.userId, body));
}

/** Messages that wait for the end of an answer. */
function queueRoutes({ route }: Router, { queue }: Pick<Dependencies, 'queue'>) {
  route(messageQueue.list, ({ actor, params }) => queue.list(actor.userId, params.id));
  route(messageQueue.add, ({ actor, params, body }) => queue.add(actor.userId, params.id, body));
  route(messageQueue.change, ({ actor, params, body }) => queue.change(actor.userId, params.id, body));
  route(messageQueue.remove, ({ actor, params }) => queue.remove(actor.userId, params.id));
  route(messageQueue.send, ({ actor, params, body }) => queue.send(actor.userId, params.id, body.overBudget ?? false));
}

function summaryRoutes({ route }: Router, { summaries }: Pick<Dependencies, 'summaries'>) {
  route(summariesApi.create, ({ actor, params, body }) => summaries.create(actor.userId, params.id, body));
  route(summariesApi.change, ({ actor, params, body }) => summaries.change(actor.userId, params.id, body.text));
  route(summariesApi.remove, ({ actor, params }) => summaries.remove(actor.userId, params.id));
}
