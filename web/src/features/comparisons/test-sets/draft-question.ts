import type { ReplayableQuestion } from '@roster/contracts/comparisons/replays';
import type { TestQuestion } from '@roster/contracts/comparisons/test-sets';
import type { DatasetExample } from '@roster/contracts/fine-tuning/datasets';
import { isBlank } from '@roster/contracts/text/blank';
import type { SetBody, SetChange } from './queries.ts';

/** A question in the form. The key names its source, so that none is added twice. */
export type DraftQuestion = {
  key: string;
  text: string;
  /** Number of earlier messages. */
  earlier: number;
  expected: string;
} & (
  | { from: 'typed' }
  | { from: 'kept'; id: number }
  /** Text and expected answer come from the source. */
  | { from: 'conversation' | 'dataset'; id: number }
);

let typedSoFar = 0;
export const typedQuestion = (): DraftQuestion => ({
  ...{ key: `typed ${++typedSoFar}`, from: 'typed', text: '', earlier: 0, expected: '' },
});

export const keptQuestion = ({ id, turns, expected }: TestQuestion): DraftQuestion => ({
  ...{ key: `kept ${id}`, from: 'kept', id, text: turns.at(-1)?.text ?? '' },
  ...{ earlier: turns.length - 1, expected: expected ?? '' },
});

export const askedQuestion = ({ answerId, text, earlier }: ReplayableQuestion): DraftQuestion => ({
  ...{ key: `conversation ${answerId}`, from: 'conversation', id: answerId, text, earlier, expected: '' },
});

export const exampleQuestion = ({ id, turns, answer }: DatasetExample): DraftQuestion => ({
  ...{ key: `dataset ${id}`, from: 'dataset', id, text: turns.at(-1)?.text ?? '' },
  ...{ earlier: turns.length - 1, expected: answer },
});

/** Drops empty boxes. */
export const nonBlank = (questions: readonly DraftQuestion[]): DraftQuestion[] =>
  questions.filter(({ text }) => !isBlank(text));

const expectedOf = ({ expected }: DraftQuestion) => (isBlank(expected) ? null : expected);

function toNew(question: DraftQuestion): SetBody['questions'][number] {
  if (question.from === 'conversation') return { kind: 'conversation', answerId: question.id };
  if (question.from === 'dataset') return { kind: 'dataset', exampleId: question.id };
  return { kind: 'typed', text: question.text.trim(), expected: expectedOf(question) };
}

export const newQuestions = (questions: readonly DraftQuestion[]): SetBody['questions'] =>
  nonBlank(questions).map(toNew);

export const changedQuestions = (questions: readonly DraftQuestion[]): NonNullable<SetChange['questions']> =>
  nonBlank(questions).map((question) =>
    question.from === 'kept'
      ? { kind: 'kept', questionId: question.id, text: question.text.trim(), expected: expectedOf(question) }
      : toNew(question),
  );
