import type { DatasetTurn } from '@roster/contracts/fine-tuning/datasets';
import { isBlank } from '@roster/contracts/text/blank';
import type { RatedAnswerRepository, Step } from './rated-answer-repository.ts';

/**
 * What of a conversation goes before an answer: its end. A provider cuts an example at 65,536 tokens, which are fewer
 * bytes than this in any language but those of one byte a letter, where they are about as many.
 */
const branchBytes = 200_000;
const branchTurns = 400;
const wordsAtOnce = 500;

/** The ids from the beginning (or from as far back as there is room) to the question. */
function pathTo(questionId: number, steps: Map<number, Step>): number[] {
  const path: number[] = [];
  let room = branchBytes;
  for (let step = steps.get(questionId); step; step = steps.get(step.parentId ?? 0)) {
    room -= step.bytes;
    // The question itself always goes along.
    if (path.length > 0 && (room < 0 || path.length >= branchTurns)) break;
    path.push(step.id);
  }
  return path.reverse();
}

/**
 * The conversations up to several questions, each in its own branch, earlier answers as they should have read. What the
 * branches share is read once.
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
