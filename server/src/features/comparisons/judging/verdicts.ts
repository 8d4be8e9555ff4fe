import type {
  ComparedAnswer,
  ComparedSettings,
  ComparedSide,
  Comparison,
  ComparisonPrompt,
  Vote,
} from '@roster/contracts/comparisons/comparisons';
import type { JudgeAnswer, Judging, JudgingDetail, Outcome, Verdict } from '@roster/contracts/comparisons/judging';
import type { InternalAnswer } from '#server/features/chat/internal-threads/repository';
import {
  type Answers,
  instructionsFor,
  isActive,
  isSameText,
  toShown,
} from '#server/features/comparisons/shared/answers';
import {
  type JudgingRecord,
  type Order,
  orders,
  type VerdictRecord,
} from '#server/features/comparisons/shared/judging-repository';
import type { PromptRecord } from '#server/features/comparisons/shared/repository';
import type { JudgedTexts } from './judge-prompt.ts';
import { combineChoices, toSideChoice } from './outcomes.ts';

export const judgeThreadsOf = (verdicts: readonly Pick<VerdictRecord, Order>[]): number[] =>
  verdicts.flatMap((verdict) => orders.map((order) => verdict[order])).filter((id) => id !== null);

function judgeAnswer(order: Order, answer: InternalAnswer | undefined): JudgeAnswer | null {
  if (!answer) return null;
  const verdict = answer.state === 'complete' ? toSideChoice(order, answer.text) : { choice: null, reason: null };
  return { ...answer, ...verdict };
}

function outcomeOf({ candidateFirst: one, baselineFirst: other }: Pick<Verdict, Order>): Outcome | null {
  if (one?.state !== 'complete' || other?.state !== 'complete') return null;
  return combineChoices(one.choice, other.choice);
}

/** An answer was repeated since it was judged. */
const isStale = (verdict: VerdictRecord, prompt: PromptRecord) =>
  judgeThreadsOf([verdict]).length > 0 &&
  (verdict.judgedCandidate !== prompt.candidateThreadId || verdict.judgedBaseline !== prompt.baselineThreadId);

export function toVerdict(record: VerdictRecord, prompt: PromptRecord, answers: Answers): Verdict {
  const { promptId, isDue } = record;
  const [candidateFirst, baselineFirst] = orders.map((order) => judgeAnswer(order, answers.get(record[order] ?? 0)));
  const byOrder = { candidateFirst: candidateFirst ?? null, baselineFirst: baselineFirst ?? null };
  return { promptId, isDue, isStale: isStale(record, prompt), outcome: outcomeOf(byOrder), ...byOrder };
}

/** Everything that verdicts are made of, at one moment. */
export type JudgedComparison = {
  comparison: Comparison;
  judging: Pick<Judging, 'criteria' | 'model'>;
  prompts: PromptRecord[];
  verdicts: VerdictRecord[];
  /** Answers of both sides, and of the judge. */
  answers: Answers;
};

/** How the variables of an answer's instructions were filled in. */
export type AnswerRequested = { at: Date; model: string | null; assistantName: string | null };

export type ToJudge = {
  prompt: PromptRecord;
  orders: Order[];
  texts: Record<Order, JudgedTexts>;
  /** null: the instructions were sent to the letter. */
  requested: Record<ComparedSide, AnswerRequested> | null;
};

function requestedOf(
  { assistant, baseline, candidate }: Comparison,
  shown: Record<ComparedSide, ComparedAnswer>,
): ToJudge['requested'] {
  if (!baseline || baseline.instructions === null || candidate.instructions === null) return null;
  const requested = (settings: ComparedSettings, { createdAt, stored }: ComparedAnswer) => ({
    at: new Date(createdAt),
    model: stored ? stored.model : settings.model,
    assistantName: assistant?.name ?? null,
  });
  return { candidate: requested(candidate, shown.candidate), baseline: requested(baseline, shown.baseline) };
}

function textsOf(comparison: Comparison, prompt: PromptRecord, shown: ComparisonPrompt) {
  const { kind, baseline, candidate } = comparison;
  if (!baseline || shown.candidate?.state !== 'complete' || shown.baseline?.state !== 'complete') return null;
  // Nobody has to judge these.
  if (kind === 'test' && isSameText(shown.candidate.text, shown.baseline.text)) return null;
  const instructions = instructionsFor(candidate, prompt);
  const { turns, expected } = prompt;
  const both = {
    instructions: instructions === instructionsFor(baseline, prompt) ? instructions : null,
    turns,
    expected,
  };
  const [ours, theirs] = [shown.candidate.text, shown.baseline.text];
  return {
    texts: {
      candidateFirst: { ...both, first: ours, second: theirs },
      baselineFirst: { ...both, first: theirs, second: ours },
    },
    requested: requestedOf(comparison, { candidate: shown.candidate, baseline: shown.baseline }),
  };
}

/** Questions for the judge about a prompt; undefined if there are none, or answers are missing. */
export function toJudge(
  { comparison, verdicts, answers }: JudgedComparison,
  prompt: PromptRecord,
): ToJudge | undefined {
  const found = textsOf(comparison, prompt, toShown(prompt, answers));
  if (!found) return undefined;
  const record = verdicts.find(({ promptId }) => promptId === prompt.id);
  const verdict = record && toVerdict(record, prompt, answers);
  if (isActive(verdict?.candidateFirst ?? null) || isActive(verdict?.baselineFirst ?? null)) return undefined;
  const isOpen = (order: Order) => !verdict || verdict.isStale || verdict[order]?.state !== 'complete';
  const open = orders.filter(isOpen);
  return open.length === 0 ? undefined : { prompt, orders: open, ...found };
}

export const allToJudge = (judged: JudgedComparison): ToJudge[] =>
  judged.prompts.flatMap((prompt) => toJudge(judged, prompt) ?? []);

const asVote = (outcome: Outcome | null): Vote | null =>
  outcome === 'position' ? 'tie' : outcome === 'unreadable' ? null : outcome;

/** Verdicts and their totals. A verdict on changed answers does not count. */
export function summarizeVerdicts({
  prompts,
  verdicts: records,
  answers,
}: JudgedComparison): Pick<JudgingDetail, 'verdicts' | 'tally' | 'agreement'> {
  const byId = new Map(prompts.map((prompt) => [prompt.id, prompt]));
  const tally = { candidate: 0, baseline: 0, tie: 0, position: 0, unreadable: 0 };
  const agreement = { same: 0, of: 0 };
  const verdicts = records.flatMap((record) => {
    const prompt = byId.get(record.promptId);
    return prompt ? [{ prompt, verdict: toVerdict(record, prompt, answers) }] : [];
  });
  for (const { prompt, verdict } of verdicts) {
    const { outcome, isStale: isOld } = verdict;
    if (outcome === null || isOld) continue;
    const choice = asVote(outcome);
    if (outcome === 'position' || outcome === 'unreadable') tally[outcome]++;
    if (choice === null) continue;
    tally[choice]++;
    if (prompt.vote === null) continue;
    agreement.of++;
    if (prompt.vote === choice) agreement.same++;
  }
  return { verdicts: verdicts.map(({ verdict }) => verdict), tally, agreement };
}

export function toJudging({ comparisonId: _, ...judging }: JudgingRecord): Judging {
  return judging;
}
