import { fillInstructions, type InstructionValues, variablesIn } from '@roster/contracts/assistants/variables';
import type { Kysely } from 'kysely';
import type { FindPerson, Person } from '#server/conversation/fill-instructions';
import { valuesFor } from '#server/conversation/fill-instructions';
import type { Database } from '#server/db/schema';
import type { InternalThreadService } from '#server/features/chat/internal-threads/service';
import { concurrentAnswers, isActive, threadsOf } from '#server/features/comparisons/shared/answers';
import type { AskingParts } from '#server/features/comparisons/shared/ask-prompt';
import { askingRepository } from '#server/features/comparisons/shared/asking-repository';
import {
  type JudgingRecord,
  judgingRepository,
  type Order,
} from '#server/features/comparisons/shared/judging-repository';
import { type AskResult, failedOutcome, runOnce, runPrompts } from '#server/features/comparisons/shared/prompt-runner';
import { type JudgingWork, judgeJob, queueJudging } from '#server/features/comparisons/shared/queue';
import { comparisonRepository } from '#server/features/comparisons/shared/repository';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { type JobHandler, jobHandler } from '#server/jobs/define';
import { buildJudgePrompt, type JudgedTexts, verdictSchema } from './judge-prompt.ts';
import { type AnswerRequested, type JudgedComparison, judgeThreadsOf, type ToJudge, toJudge } from './verdicts.ts';

const valuesOf = (person: Person, { at, model, assistantName }: AnswerRequested): InstructionValues => ({
  ...valuesFor(person, at, { model: model ?? '', assistantName }),
  ...(model === null && { model }),
});

/**
 * The instructions as the models were given them. Variables with different values stay, and their values are listed;
 * those of `model` are not, because a judge that knows the models judges their names.
 */
function judgedInstructions(
  person: Person,
  { texts, requested }: Pick<ToJudge, 'texts' | 'requested'>,
  order: Order,
): Pick<JudgedTexts, 'instructions' | 'differing'> {
  const { instructions } = texts[order];
  if (instructions === null || requested === null) return { instructions };
  const [candidate, baseline] = [valuesOf(person, requested.candidate), valuesOf(person, requested.baseline)];
  const [first, second] = order === 'candidateFirst' ? [candidate, baseline] : [baseline, candidate];
  const same = { ...first };
  const differing: NonNullable<JudgedTexts['differing']>[number][] = [];
  for (const name of variablesIn(instructions)) {
    if (first[name] === second[name]) continue;
    same[name] = null;
    if (name !== 'model') differing.push({ name, first: first[name], second: second[name] });
  }
  return { instructions: fillInstructions(instructions, same), differing };
}

export type JudgingParts = AskingParts & {
  internalThreads: Pick<InternalThreadService, 'check' | 'stop'>;
  rates: Pick<RateLimits, 'use' | 'giveBack'>;
  personOf: FindPerson;
};

/** Returns undefined if the comparison was deleted. */
export async function loadJudged(
  { internalThreads }: Pick<JudgingParts, 'internalThreads'>,
  db: Kysely<Database>,
  userId: number,
  judging: Pick<JudgingRecord, 'comparisonId' | 'model' | 'criteria'> & { id?: number },
): Promise<JudgedComparison | undefined> {
  const rows = comparisonRepository(db);
  const comparison = await rows.find(userId, judging.comparisonId);
  if (!comparison) return undefined;
  const prompts = await rows.prompts(userId, judging.comparisonId);
  const verdicts = judging.id === undefined ? [] : await judgingRepository(db).verdicts(userId, judging.id);
  const answers = await internalThreads.answers(userId, [...threadsOf(prompts), ...judgeThreadsOf(verdicts)], db);
  return { comparison, judging, prompts, verdicts, answers };
}

type AskThem = Parameters<Parameters<InternalThreadService['ask']>[2]>[1];

/** In the transaction that stores the questions: skips answers that were deleted or are being repeated. */
async function askJudge(
  { internalThreads }: JudgingParts,
  trx: Kysely<Database>,
  askThem: AskThem,
  person: Person,
  judging: JudgingRecord,
  { userId, verdictId }: { userId: number; verdictId: number },
) {
  const rows = judgingRepository(trx);
  if (!(await askingRepository(trx, 'judging').take(userId, judging.id, verdictId))) return;
  const judged = await loadJudged({ internalThreads }, trx, userId, judging);
  const verdict = judged?.verdicts.find(({ id }) => id === verdictId);
  const prompt = judged?.prompts.find(({ id }) => id === verdict?.promptId);
  const prompts = judged && prompt && toJudge(judged, prompt);
  if (!verdict || !prompts) return;
  const threadIds = await askThem(
    prompts.orders.map((order) => {
      const texts = { ...prompts.texts[order], ...judgedInstructions(person, prompts, order) };
      const { instructions, text } = buildJudgePrompt(judging.criteria, texts);
      return {
        comparisonId: judging.comparisonId,
        judgingId: judging.id,
        model: judging.model,
        instructions,
        variables: null,
        turns: [{ role: 'user', text }],
        temperature: 0,
        effort: null,
        responseSchema: verdictSchema,
        knowledgeOf: null,
      };
    }),
  );
  const { id, candidateFirst, baselineFirst } = verdict;
  const now = { id, candidateFirst, baselineFirst };
  for (const [index, order] of prompts.orders.entries()) now[order] = threadIds[index] ?? null;
  const { candidateThreadId: judgedCandidate, baselineThreadId: judgedBaseline } = prompts.prompt;
  await rows.setAsked(userId, judging.id, { ...now, judgedCandidate, judgedBaseline });
  const replaced = prompts.orders.map((order) => verdict[order]).filter((threadId) => threadId !== null);
  await internalThreads.remove(trx, userId, async () => replaced);
}

/** Asks the judge about the next due prompt, in both orders at once. */
async function askNext(
  parts: JudgingParts,
  { userId, judgingId }: JudgingWork,
  overBudget: boolean,
): Promise<AskResult> {
  const { db } = parts.database;
  const rows = judgingRepository(db);
  const judging = await rows.find(userId, judgingId);
  if (!judging) return { next: 'waits' };
  const verdicts = await rows.verdicts(userId, judgingId);
  const answers = await parts.internalThreads.answers(userId, judgeThreadsOf(verdicts));
  const inProgress = [...answers.values()].filter(isActive).length;
  const due = verdicts.find(({ isDue }) => isDue);
  if (!due) return { next: inProgress === 0 ? 'ended' : 'waits' };
  if (inProgress > 0 && inProgress + 2 > concurrentAnswers) return { next: 'waits' };
  // Read before the transaction, which would wait for it.
  const person = await parts.personOf(userId);
  return runOnce(parts, userId, { overBudget, inProgress, models: [judging.model] }, (trx, askThem) =>
    askJudge(parts, trx, askThem, person, judging, { userId, verdictId: due.id }),
  );
}

export function judgingJob(parts: JudgingParts): JobHandler {
  const { db } = parts.database;
  return jobHandler(
    judgeJob,
    (work) =>
      runPrompts(db, {
        userId: work.userId,
        id: work.judgingId,
        kind: 'judging',
        askNext: (overBudget) => askNext(parts, work, overBudget),
        queue: (trx, inMs) => queueJudging(trx, work, inMs),
      }),
    ({ userId, judgingId }) => askingRepository(db, 'judging').stop(userId, judgingId, failedOutcome),
  );
}
