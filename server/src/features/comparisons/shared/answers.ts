import type {
  ComparedAnswer,
  ComparedSettings,
  ComparedSide,
  Comparison,
  ComparisonPrompt,
} from '@roster/contracts/comparisons/comparisons';
import type { InternalAnswer } from '#server/features/chat/internal-threads/repository';
import { AppError } from '#server/lib/errors';
import type { PromptRecord } from './repository.ts';

export type Answers = Map<number, InternalAnswer>;

export const comparisonNotFound = () => new AppError('not_found', 'This comparison does not exist.');
export const promptNotFound = () => new AppError('not_found', 'This prompt does not exist.');

/** For one comparison, which leaves room for one conversation of the user. */
export const concurrentAnswers = 2;

export const isActive = (answer: Pick<ComparedAnswer, 'state'> | null) =>
  answer?.state === 'queued' || answer?.state === 'running';
/** Neither answered nor running: not asked, stopped, failed, or interrupted. */
const isOpen = (answer: ComparedAnswer | null) => answer?.state !== 'complete' && !isActive(answer);

export const threadsOf = (prompts: Pick<PromptRecord, 'candidateThreadId' | 'baselineThreadId'>[]): number[] =>
  prompts
    .flatMap(({ candidateThreadId, baselineThreadId }) => [candidateThreadId, baselineThreadId])
    .filter((id) => id !== null);

function answerIn(answers: Answers, threadId: number | null): ComparedAnswer | null {
  const answer = threadId === null ? undefined : answers.get(threadId);
  return answer ? { ...answer, stored: null } : null;
}

function storedAnswer({ baselineText }: PromptRecord): ComparedAnswer | null {
  if (!baselineText) return null;
  const { text, model, version, createdAt } = baselineText;
  const withoutRun = { runId: null, state: 'complete', usage: null, error: null } as const;
  return { ...withoutRun, text, createdAt, finishedAt: createdAt, stored: { model, version } };
}

export function toShown(prompt: PromptRecord, answers: Answers): ComparisonPrompt {
  const { id, instructions, turns, expected, vote, candidateThreadId, baselineThreadId, hasBaseline, isDue } = prompt;
  const candidate = answerIn(answers, candidateThreadId);
  const baseline = storedAnswer(prompt) ?? answerIn(answers, baselineThreadId);
  return { id, instructions, turns, expected, candidate, baseline, hasBaseline, vote, isDue };
}

/** Sides to ask now. An earlier answer stays, even with `again`. */
export function sidesToAsk(
  { baseline }: Pick<Comparison, 'baseline'>,
  prompt: ComparisonPrompt,
  again: boolean,
): ComparedSide[] {
  if (again && (isActive(prompt.candidate) || isActive(prompt.baseline)))
    throw new AppError('run_in_progress', 'An answer to this prompt is still being written. Stop it or wait for it.');
  const isToAsk = (answer: ComparedAnswer | null) => (answer?.stored ? false : again || isOpen(answer));
  return [
    ...(isToAsk(prompt.candidate) ? (['candidate'] as const) : []),
    ...(baseline && prompt.hasBaseline && isToAsk(prompt.baseline) ? (['baseline'] as const) : []),
  ];
}

/** Instructions for a side before a prompt. */
export const instructionsFor = ({ instructions }: ComparedSettings, prompt: Pick<PromptRecord, 'instructions'>) =>
  instructions ?? prompt.instructions;

/** The models that are compared. */
export const modelsOf = ({ candidate, baseline }: Pick<Comparison, 'candidate' | 'baseline'>): string[] =>
  [candidate, ...(baseline ? [baseline] : [])].map(({ model }) => model);

const words = (text: string) => text.trim().replace(/\s+/g, ' ');

/** True if two answers differ only in spaces and line ends. */
export const isSameText = (one: string, other: string) => words(one) === words(other);
