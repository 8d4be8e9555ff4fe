import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '@roster/contracts/chat';
import { nearlyFull } from '@roster/contracts/summaries';
import type { Kysely } from 'kysely';
import { estimateTokens } from '#server/conversation/token-estimate';
import type { Database } from '#server/db/schema';
import { type BranchHead, branchRepository } from '#server/features/chat/shared/branch-repository';
import type { ChatTarget } from '#server/features/chat/shared/chat-target';
import { summarizeJob } from '#server/features/chat/shared/summarize-job';
import { summaryRepository } from '#server/features/chat/shared/summary-repository';
import { usageRepository } from '#server/features/usage/repository';
import { enqueue } from '#server/jobs/queue';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { Provider } from '#server/provider/provider';

type Dependencies = {
  db: Kysely<Database>;
  catalogue: Pick<Catalogue, 'contextTokens'>;
  provider: Pick<Provider, 'answerMs'>;
};

const lookAgainMs = 250;
/** A summary takes at most four and a half minutes; the answer has a limit of its own. */
const longestWaitMs = 290_000;
/** Messages at the end of a branch in which the last answer and a new summary are looked for. */
const recentMessages = 10;
const messagesAtOnce = 200;
/** An exchange that takes more of the context is summarized too. */
const largestKept = 0.4;
/** Less than this share is not worth what a summary costs. */
const smallestSummarized = 0.1;

type EarlierMessages = {
  userId: number;
  threadId: number;
  /** The message that the question follows; undefined: it is the first. */
  parent: BranchHead | undefined;
  targets: readonly ChatTarget[];
  at: string;
};

/** Summaries that an assistant makes before a question is sent. */
export function automaticSummaries({ db, catalogue, provider }: Dependencies) {
  /** The smallest context of the models that answer; undefined: none is known. */
  function contextOf(targets: readonly ChatTarget[]): number | undefined {
    const limits = targets.flatMap(({ model }) => (model === null ? [] : (catalogue.contextTokens(model) ?? [])));
    return limits.length === 0 ? undefined : Math.min(...limits);
  }

  return {
    /** Call in the transaction that stores a question. Starts a summary if the last answer nearly filled the context. */
    async begin(trx: Kysely<Database>, { userId, threadId, parent, targets, at }: EarlierMessages): Promise<void> {
      if (!parent || !targets.some(({ summarizes }) => summarizes)) return;
      const context = contextOf(targets);
      if (context === undefined) return;
      const from = Math.max(0, parent.depth - recentMessages + 1);
      const range = { threadId, head: parent.id, from, to: parent.depth };
      const recent = await branchRepository(trx).messages(userId, range);
      const answered = recent.findLast(({ usage }) => usage !== null && usage.inputTokens + usage.outputTokens > 0);
      if (!answered?.run) return;
      const tokens = await usageRepository(trx).lastRequestTokens(userId, answered.run.id);
      if (tokens < context * nearlyFull || hasNewSummary(recent, answered)) return;
      const last = lastToSummarize(recent, context * largestKept);
      const head = recent[last];
      const depth = parent.depth - (recent.length - 1 - last);
      if (!head || !(await isWorthIt(trx, userId, { threadId, head: head.id, depth }, context * smallestSummarized)))
        return;
      if (await summaryRepository(trx).begin(userId, threadId, head.id, at))
        await enqueue(trx, summarizeJob, { userId, messageId: head.id });
    },
    /** Waits until the summaries of a thread are written, have failed or were taken back, or it takes too long. */
    async settled(userId: number, threadId: number, signal: AbortSignal): Promise<void> {
      const until = performance.now() + Math.min(longestWaitMs, provider.answerMs * 0.8);
      const summaries = summaryRepository(db);
      while (performance.now() < until && (await summaries.isWriting(userId, threadId)))
        await sleep(lookAgainMs, undefined, { signal, ref: false });
    },
  };
}

export type AutomaticSummaries = ReturnType<typeof automaticSummaries>;

/** A summary that was written since the last answer takes effect with the next one. */
const hasNewSummary = (recent: readonly Message[], { finishedAt }: Message) =>
  recent.some(({ summary }) => summary && summary.createdAt > (finishedAt ?? ''));

/** Index of the message before the last question, which keeps the last exchange as it is, or of the last if that is long. */
function lastToSummarize(recent: readonly Message[], largest: number): number {
  const question = recent.findLastIndex(({ role }) => role === 'user');
  const exchange = recent.slice(Math.max(0, question));
  const size = exchange.reduce((sum, { text }) => sum + estimateTokens(text), 0);
  return size > largest || question < 1 ? recent.length - 1 : question - 1;
}

/** True if the messages since the summary before take enough of the context. */
async function isWorthIt(
  trx: Kysely<Database>,
  userId: number,
  { threadId, head, depth }: { threadId: number; head: number; depth: number },
  smallest: number,
): Promise<boolean> {
  let found = 0;
  for (let to = depth; to >= 0; to -= messagesAtOnce) {
    const range = { threadId, head, from: Math.max(0, to - messagesAtOnce + 1), to };
    for (const { text, summary } of (await branchRepository(trx).words(userId, range)).reverse()) {
      if (summary !== null) return false;
      found += estimateTokens(text);
      if (found >= smallest) return true;
    }
  }
  return false;
}
