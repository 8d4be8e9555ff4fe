import type { Comparison, ComparisonPrompt, comparisons, Vote } from '@roster/contracts/fine-tuning/comparisons';
import type { z } from 'zod';
import type { OpenDatabase } from '#server/db/connect';
import { AppError } from '#server/errors';
import type { SideAnswer } from '#server/features/chat/side-questions/repository';
import type { SideQuestionService } from '#server/features/chat/side-questions/service';
import type { FileRepository } from '#server/features/files/repository';
import type { Actor } from '#server/http/actor';
import { pageOf } from '#server/http/paging';
import type { FileStore } from '#server/storage/file-store';
import { chosenExamples } from './chosen-examples.ts';
import type { Example } from './example-line.ts';
import { comparisonRepository, type PromptRecord } from './repository.ts';

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  sideQuestions: Pick<SideQuestionService, 'ask' | 'answers' | 'stop' | 'remove'>;
  files: Pick<FileRepository, 'stored'>;
  store: Pick<FileStore, 'read'>;
};

type Draft = z.output<typeof comparisons.create.body>;
type Answers = Map<number, SideAnswer>;

const noComparison = () => new AppError('not_found', 'This comparison does not exist.');
const noPrompt = () => new AppError('not_found', 'This prompt does not exist.');

const answerIn = (answers: Answers, threadId: number | null) =>
  (threadId === null ? undefined : answers.get(threadId)) ?? null;
const isUnderWay = (answer: SideAnswer | null) => answer?.state === 'queued' || answer?.state === 'running';
/** Neither answered nor being answered: not asked, stopped, failed, or cut off by a crash. */
const isOpen = (answer: SideAnswer | null) => answer?.state !== 'complete' && !isUnderWay(answer);

export const threadsOf = (prompts: Pick<PromptRecord, 'tunedThreadId' | 'baseThreadId'>[]): number[] =>
  prompts.flatMap(({ tunedThreadId, baseThreadId }) => [tunedThreadId, baseThreadId]).filter((id) => id !== null);

export function toShown(prompt: PromptRecord, answers: Answers): ComparisonPrompt {
  const { id, instructions, turns, expected, vote, tunedThreadId, baseThreadId } = prompt;
  const tuned = answerIn(answers, tunedThreadId);
  const base = answerIn(answers, baseThreadId);
  return { id, instructions, turns, expected, tuned, base, vote };
}

export function comparisonService({ database: { db }, sideQuestions, files, store }: Dependencies) {
  const rows = comparisonRepository(db);

  async function examplesFrom(userId: number, fileId: number, count: number): Promise<Example[]> {
    const file = await files.stored(userId, fileId);
    if (!file) throw new AppError('not_found', 'This file does not exist.');
    const examples = await chosenExamples(() => store.read(file.storageKey), count);
    if (examples.length > 0) return examples;
    const message = `No line of “${file.filename}” can be used. Choose a JSONL file with a chat example or a preference pair on each line, without images and tool calls.`;
    throw new AppError('invalid_input', message, { fields: { prompts: message } });
  }

  async function found(userId: number, comparisonId: number, promptId: number, within = rows): Promise<PromptRecord> {
    const prompt = await within.prompt(userId, comparisonId, promptId);
    if (!prompt) throw noPrompt();
    return prompt;
  }

  async function shown(userId: number, prompt: PromptRecord): Promise<ComparisonPrompt> {
    return toShown(prompt, await sideQuestions.answers(userId, threadsOf([prompt])));
  }

  /** The sides that are to be asked now. */
  function sidesToAsk({ tuned, base }: ComparisonPrompt, again: boolean): ('tuned' | 'base')[] {
    if (again && (isUnderWay(tuned) || isUnderWay(base)))
      throw new AppError('run_in_progress', 'An answer to this prompt is still being written. Stop it or wait for it.');
    const sides = [
      { side: 'tuned' as const, answer: tuned },
      { side: 'base' as const, answer: base },
    ];
    return sides.filter(({ answer }) => again || isOpen(answer)).map(({ side }) => side);
  }

  return {
    async list(userId: number, { limit, cursor }: { limit: number; cursor?: number | undefined }) {
      const found = await rows.page(userId, limit + 1, cursor);
      return pageOf(found, limit, ({ id }) => String(id));
    },

    async find(userId: number, id: number): Promise<Comparison & { items: ComparisonPrompt[] }> {
      const comparison = await rows.find(userId, id);
      if (!comparison) throw noComparison();
      const prompts = await rows.prompts(userId, id);
      const answers = await sideQuestions.answers(userId, threadsOf(prompts));
      return { ...comparison, items: prompts.map((prompt) => toShown(prompt, answers)) };
    },

    async create({ userId, stillMay }: Actor, draft: Draft): Promise<Comparison> {
      const { prompts, instructions, tunedModel, baseModel, temperature } = draft;
      const { typed = [], fileId, count } = prompts;
      const examples =
        fileId === undefined
          ? typed.map((text): Example => ({ instructions, turns: [{ role: 'user', text }], expected: null }))
          : await examplesFrom(userId, fileId, count);
      const at = new Date().toISOString();
      const id = await db.transaction().execute(async (trx) => {
        await stillMay(trx);
        return comparisonRepository(trx).insert(userId, { tunedModel, baseModel, temperature, at }, examples);
      });
      const comparison = await rows.find(userId, id);
      if (!comparison) throw noComparison();
      return comparison;
    },

    /** Asks the models that have not answered this prompt yet; with `again` both of them anew. */
    async ask(
      userId: number,
      { id, promptId }: { id: number; promptId: number },
      { again = false, overBudget = false }: { again?: boolean | undefined; overBudget?: boolean | undefined },
    ): Promise<ComparisonPrompt> {
      const comparison = await rows.find(userId, id);
      if (!comparison) throw noComparison();
      const now = await shown(userId, await found(userId, id, promptId));
      if (sidesToAsk(now, again).length === 0) return now;
      await sideQuestions.ask(userId, { overBudget }, async (trx, begin) => {
        const within = comparisonRepository(trx);
        const prompt = await found(userId, id, promptId, within);
        const answers = await sideQuestions.answers(userId, threadsOf([prompt]), trx);
        const sides = sidesToAsk(toShown(prompt, answers), again);
        if (sides.length === 0) return;
        const { instructions, turns, tunedThreadId, baseThreadId } = prompt;
        const modelOf = { tuned: comparison.tunedModel, base: comparison.baseModel };
        const threadOf = { tuned: tunedThreadId, base: baseThreadId };
        const { temperature } = comparison;
        const threadIds = await begin(
          sides.map((side) => ({ comparisonId: id, model: modelOf[side], instructions, turns, temperature })),
        );
        const begun = { ...threadOf };
        for (const [index, side] of sides.entries()) begun[side] = threadIds[index] ?? null;
        await within.setThreads(userId, promptId, { tunedThreadId: begun.tuned, baseThreadId: begun.base });
        const replaced = sides.map((side) => threadOf[side]).filter((threadId) => threadId !== null);
        await sideQuestions.remove(trx, userId, async () => replaced);
      });
      return shown(userId, await found(userId, id, promptId));
    },

    async vote(userId: number, { id, promptId }: { id: number; promptId: number }, vote: Vote | null) {
      const prompt = await found(userId, id, promptId);
      const { tuned, base } = await shown(userId, prompt);
      if (vote !== null && (!tuned || !base || isUnderWay(tuned) || isUnderWay(base)))
        throw new AppError('conflict', 'Both answers must be there before you can say which is better.');
      if (!(await rows.setVote(userId, prompt, vote)))
        throw new AppError('conflict', 'This prompt was asked again meanwhile. Look at the new answers first.');
      return shown(userId, await found(userId, id, promptId));
    },

    /** With its answers; what is being written is stopped first. */
    async remove(userId: number, id: number) {
      await sideQuestions.stop(userId, await rows.threadIds(userId, id));
      const removed = await db.transaction().execute(async (trx) => {
        const within = comparisonRepository(trx);
        await sideQuestions.remove(trx, userId, () => within.threadIds(userId, id));
        return within.delete(userId, id);
      });
      if (!removed) throw noComparison();
    },
  };
}

export type ComparisonService = ReturnType<typeof comparisonService>;
