import type { DatasetTurn } from '@roster/contracts/fine-tuning/datasets';
import { isBlank } from '@roster/contracts/text/blank';
import type { BranchStep } from '#server/conversation/branch-repository';
import type { RatedAnswerRepository } from './rated-answer-repository.ts';

/**
 * Limit for the conversation before an answer, of which the end is kept. A provider cuts an example at 65,536 tokens.
 * That is fewer bytes than this in most languages, and about as many in those with one byte per letter.
 */
const branchBytes = 200_000;
const branchTurns = 400;
const wordsAtOnce = 500;

/** Ids from the start of the conversation, or as far back as there is room, to the question. */
function pathTo(questionId: number, steps: Map<number, BranchStep>): number[] {
  const path: number[] = [];
  let room = branchBytes;
  for (let step = steps.get(questionId); step; step = steps.get(step.parentId ?? 0)) {
    room -= step.bytes;
    // The question itself is always included.
    if (path.length > 0 && (room < 0 || path.length >= branchTurns)) break;
    path.push(step.id);
  }
  return path.reverse();
}

/**
 * The conversations before several questions, each along its own branch, with earlier answers as corrected. Shared
 * messages are read once.
 */
export async function loadBranches(
  answers: RatedAnswerRepository,
  userId: number,
  questionIds: number[],
): Promise<Map<number, DatasetTurn[]>> {
  const steps = await answers.stepsTo(userId, questionIds);
  const paths = new Map(questionIds.map((id) => [id, pathTo(id, steps)]));
  const wanted = [...new Set([...paths.values()].flat())];
  const words = new Map<number, DatasetTurn>();
  for (let from = 0; from < wanted.length; from += wordsAtOnce)
    for (const [id, turn] of await answers.words(userId, wanted.slice(from, from + wordsAtOnce))) words.set(id, turn);
  return new Map(
    [...paths].map(([id, path]) => {
      const turns = path.flatMap((step) => words.get(step) ?? []).filter(({ text }) => !isBlank(text));
      const first = turns.findIndex(({ role }) => role === 'user');
      return [id, first < 0 ? [] : turns.slice(first)];
    }),
  );
}
