import type { TestQuestion, TestQuestionDraft } from '@roster/contracts/comparisons/test-sets';
import type { QuestionHistory } from '#server/features/chat/question-history/service';
import type { ExampleContent } from '#server/features/fine-tuning/datasets/example-repository';
import { AppError } from '#server/lib/errors';
import type { NewQuestion } from './repository.ts';

/** Characters per question, including the conversation before it and the expected answer. */
const testQuestionCharacters = 40_000;

/** Estimated tokens of the conversation before a question, at most. */
const earlierTokens = 4_000;

export type QuestionSources = {
  questionHistory: Pick<QuestionHistory, 'inContext'>;
  /** Examples of the user's datasets, by id. */
  examples: (userId: number, ids: number[]) => Promise<Map<number, ExampleContent>>;
};
/** Content from elsewhere that drafts refer to. */
type QuestionSource = {
  earlier: ReadonlyMap<number, NewQuestion['turns']>;
  examples: ReadonlyMap<number, ExampleContent>;
  kept: ReadonlyMap<number, TestQuestion>;
};

const refuse = (message: string) => new AppError('invalid_input', message, { fields: { questions: message } });
const gone = (number: number, of: string) =>
  new AppError('not_found', `Question ${number} is no longer in its ${of}. Select the questions again.`);

function keptQuestion(draft: Extract<TestQuestionDraft, { kind: 'kept' }>, kept: TestQuestion): NewQuestion {
  const { source, turns } = kept;
  const expected = draft.expected === undefined ? kept.expected : draft.expected;
  const { text } = draft;
  if (text === undefined || text === turns.at(-1)?.text) return { source, turns, expected };
  return { source: 'typed', turns: [...turns.slice(0, -1), { role: 'user', text }], expected };
}

function toQuestion(
  draft: TestQuestionDraft,
  number: number,
  { earlier, examples, kept }: QuestionSource,
): NewQuestion {
  switch (draft.kind) {
    case 'typed':
      return { source: 'typed', turns: [{ role: 'user', text: draft.text }], expected: draft.expected };
    case 'conversation': {
      const turns = earlier.get(draft.answerId);
      if (!turns) throw gone(number, 'conversation');
      return { source: 'conversation', turns, expected: null };
    }
    case 'dataset': {
      const example = examples.get(draft.exampleId);
      if (!example) throw gone(number, 'dataset');
      return {
        source: 'dataset',
        turns: example.turns.map(({ role, text }) => ({ role, text })),
        expected: example.answer,
      };
    }
    case 'kept': {
      const question = kept.get(draft.questionId);
      if (!question)
        throw new AppError(
          'conflict',
          'This test set was changed in the meantime. Open it again to see its questions.',
        );
      return keptQuestion(draft, question);
    }
  }
}

/** An empty expected answer counts as none. */
function checked({ source, turns, expected }: NewQuestion, number: number): NewQuestion {
  const wished = expected?.trim() ? expected : null;
  const texts = [...turns.map(({ text }) => text), wished ?? ''];
  if (texts.reduce((sum, text) => sum + text.length, 0) > testQuestionCharacters)
    throw refuse(
      `Question ${number} is too long: with its earlier messages and expected answer, it can have ${testQuestionCharacters} characters.`,
    );
  return { source, turns, expected: wished };
}

/** Equal for two questions that are one: the same words, after the same conversation. */
export const keyOf = (turns: NewQuestion['turns']): string =>
  JSON.stringify(turns.map(({ role, text }) => [role, text]));

/** Questions that these drafts name, each once. `kept`: those already in the set. */
export async function resolveQuestions(
  { questionHistory, examples }: QuestionSources,
  userId: number,
  assistantId: number,
  drafts: readonly TestQuestionDraft[],
  kept: readonly TestQuestion[],
): Promise<NewQuestion[]> {
  const answerIds = drafts.flatMap((draft) => (draft.kind === 'conversation' ? draft.answerId : []));
  const exampleIds = drafts.flatMap((draft) => (draft.kind === 'dataset' ? draft.exampleId : []));
  const answered = await questionHistory.inContext(userId, { assistantId }, [...new Set(answerIds)], earlierTokens);
  const found: QuestionSource = {
    earlier: new Map(answered.map(({ answerId, turns }) => [answerId, turns])),
    examples: await examples(userId, exampleIds),
    kept: new Map(kept.map((question) => [question.id, question])),
  };
  const questions = drafts.map((draft, index) => checked(toQuestion(draft, index + 1, found), index + 1));
  return [...new Map(questions.map((question) => [keyOf(question.turns), question])).values()];
}
