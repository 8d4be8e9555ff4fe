import { isBlank } from '@roster/contracts/text/blank';
import { truncate } from '@roster/contracts/text/truncate';
import type { BranchStep } from '#server/conversation/branch-repository';
import type { OpenDatabase } from '#server/db/connect';
import { type QuestionFilter, type QuestionHistoryRepository, questionHistoryRepository } from './repository.ts';

const shownCharacters = 300;
/** Messages read before a question. */
const turnsBefore = 100;
const wordsAtOnce = 500;

/** A rough estimate from the size in UTF-8; other scripts have more bytes and take more tokens. */
const tokensOf = (bytes: number) => Math.ceil(bytes / 4);

/** A question with the messages before it and its answer. */
type QuestionInContext = {
  answerId: number;
  /** The question is the last one. */
  turns: { role: 'user' | 'assistant'; text: string }[];
  answer: { text: string; model: string; version: number | null; createdAt: string };
  /** Earlier messages that did not fit, and files attached to the messages that did. */
  messagesLeftOut: number;
  filesLeftOut: number;
};

/** Ids of the messages up to the question that fit, and the number of earlier ones. */
function pathTo(questionId: number, steps: Map<number, BranchStep>, tokens: number) {
  const path: number[] = [];
  let room = tokens;
  let leftOut = 0;
  for (let step = steps.get(questionId); step; step = steps.get(step.parentId ?? 0)) {
    room -= tokensOf(step.bytes);
    // The question itself is always included.
    if (path.length > 0 && (leftOut > 0 || room < 0 || path.length > turnsBefore)) leftOut++;
    else path.push(step.id);
  }
  return { ids: path.reverse(), leftOut };
}

async function wordsOf(questions: QuestionHistoryRepository, userId: number, ids: number[]) {
  const words = new Map<number, QuestionInContext['turns'][number]>();
  for (let from = 0; from < ids.length; from += wordsAtOnce)
    for (const { id, role, text } of await questions.words(userId, ids.slice(from, from + wordsAtOnce)))
      words.set(id, { role, text });
  return words;
}

/** Keeps the newest answer of each question; questions with the same text count as one. */
function eachOnce<Row extends { questionId: number; text: string }>(rows: Row[]): Row[] {
  const ids = new Set<number>();
  const texts = new Set<string>();
  return rows.filter(({ questionId, text }) => {
    const words = text.trim();
    if (isBlank(words) || ids.has(questionId) || texts.has(words)) return false;
    ids.add(questionId);
    texts.add(words);
    return true;
  });
}

/** Questions that an assistant has answered, for features that ask them again. */
export function questionHistory({ reader }: Pick<OpenDatabase, 'reader'>) {
  const questions = questionHistoryRepository(reader);
  return {
    /** The newest questions, without duplicates. */
    async list(userId: number, of: QuestionFilter, limit: number) {
      const rows = eachOnce(await questions.answered(userId, of)).slice(0, limit);
      const files = await questions.filesOf(
        userId,
        rows.map(({ questionId }) => questionId),
      );
      return rows.map(({ questionId, accessTokenId, text, ...row }) => ({
        ...row,
        text: truncate(text.trim(), shownCharacters),
        files: files.get(questionId) ?? 0,
        byProgram: accessTokenId !== null,
      }));
    },

    /**
     * The questions of these answers, in the order given, each with as much of its branch as fits. Answers of another
     * assistant or model are omitted.
     */
    async inContext(
      userId: number,
      { assistantId, model }: Pick<QuestionFilter, 'assistantId' | 'model'>,
      answerIds: number[],
      tokens: number,
    ): Promise<QuestionInContext[]> {
      if (answerIds.length === 0) return [];
      const rows = await questions.answers(userId, assistantId, model, answerIds);
      const answers = new Map(rows.map((row) => [row.id, row]));
      const questionIds = rows.flatMap(({ questionId }) => questionId ?? []);
      if (questionIds.length === 0) return [];
      const steps = await questions.stepsTo(userId, questionIds);
      const paths = new Map(questionIds.map((id) => [id, pathTo(id, steps, tokens)]));
      const wanted = [...new Set([...paths.values()].flatMap(({ ids }) => ids))];
      const words = await wordsOf(questions, userId, wanted);
      const files = await questions.filesOf(userId, wanted);
      return answerIds.flatMap((answerId) => {
        const answer = answers.get(answerId);
        const path = paths.get(answer?.questionId ?? 0);
        if (!answer || !path) return [];
        const turns = path.ids.flatMap((id) => words.get(id) ?? []).filter(({ text }) => !isBlank(text));
        const first = turns.findIndex(({ role }) => role === 'user');
        if (first < 0 || turns.at(-1)?.role !== 'user') return [];
        const { text, model: answered, version, createdAt } = answer;
        return {
          answerId,
          turns: turns.slice(first),
          answer: { text, model: answered, version, createdAt },
          messagesLeftOut: path.leftOut + first,
          filesLeftOut: path.ids.reduce((sum, id) => sum + (files.get(id) ?? 0), 0),
        };
      });
    },
  };
}

export type QuestionHistory = ReturnType<typeof questionHistory>;
