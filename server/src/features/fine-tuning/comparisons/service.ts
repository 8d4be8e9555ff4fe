import type { comparisons as api, Comparison, ComparisonPrompt, Vote } from '@roster/contracts/fine-tuning/comparisons';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/errors';
import type { SideAnswer } from '#server/features/chat/side-questions/repository';
import type { SideQuestion, SideQuestionService } from '#server/features/chat/side-questions/service';
import type { FileRepository } from '#server/features/files/repository';
import type { Actor } from '#server/http/actor';
import { pageOf } from '#server/http/paging';
import type { FileStore } from '#server/storage/file-store';
import { chosenExamples } from './chosen-examples.ts';
import type { Example } from './example-line.ts';
import { type ComparisonRepository, comparisonRepository, type PromptRecord } from './repository.ts';

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  sideQuestions: Pick<SideQuestionService, 'ask' | 'answers' | 'stop' | 'remove'>;
  files: Pick<FileRepository, 'stored'>;
  store: Pick<FileStore, 'read'>;
};

type Draft = z.output<typeof api.create.body>;
type PromptIds = z.output<typeof api.ask.params>;
type Answers = Map<number, SideAnswer>;

const noComparison = () => new AppError('not_found', 'This comparison does not exist.');
const noPrompt = () => new AppError('not_found', 'This prompt does not exist.');

const answerIn = (answers: Answers, threadId: number | null) =>
  (threadId === null ? undefined : answers.get(threadId)) ?? null;
const isUnderWay = (answer: SideAnswer | null) => answer?.state === 'queued' || answer?.state === 'running';
/** Neither answered nor with an open run: not asked, stopped, failed, or interrupted. */
const isOpen = (answer: SideAnswer | null) => answer?.state !== 'complete' && !isUnderWay(answer);

export const threadsOf = (prompts: Pick<PromptRecord, 'tunedThreadId' | 'baseThreadId'>[]): number[] =>
  prompts.flatMap(({ tunedThreadId, baseThreadId }) => [tunedThreadId, baseThreadId]).filter((id) => id !== null);

export function toShown(prompt: PromptRecord, answers: Answers): ComparisonPrompt {
  const { id, instructions, turns, expected, vote, tunedThreadId, baseThreadId } = prompt;
  const tuned = answerIn(answers, tunedThreadId);
  const base = answerIn(answers, baseThreadId);
  return { id, instructions, turns, expected, tuned, base, vote };
}

async function examplesFrom({ files, store }: Dependencies, userId: number, fileId: number, count: number) {
  const file = await files.stored(userId, fileId);
  if (!file) throw new AppError('not_found', 'This file does not exist.');
  const examples = await chosenExamples(() => store.read(file.storageKey), count);
  if (examples.length > 0) return examples;
  const message = `No line of “${file.filename}” can be used. Choose a JSONL file with a chat example or a preference pair on each line, without images and tool calls.`;
  throw new AppError('invalid_input', message, { fields: { prompts: message } });
}

async function findComparison(rows: ComparisonRepository, userId: number, id: number): Promise<Comparison> {
  const comparison = await rows.find(userId, id);
  if (!comparison) throw noComparison();
  return comparison;
}

async function findPrompt(rows: ComparisonRepository, userId: number, { id, promptId }: PromptIds) {
  const prompt = await rows.prompt(userId, id, promptId);
  if (!prompt) throw noPrompt();
  return prompt;
}

async function shown({ sideQuestions }: Dependencies, userId: number, prompt: PromptRecord) {
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

async function create(
  dependencies: Dependencies,
  { userId, stillMay }: Actor,
  { prompts, instructions, tunedModel, baseModel, temperature }: Draft,
): Promise<Comparison> {
  const { db } = dependencies.database;
  const { typed = [], fileId, count } = prompts;
  const examples =
    fileId === undefined
      ? typed.map((text): Example => ({ instructions, turns: [{ role: 'user', text }], expected: null }))
      : await examplesFrom(dependencies, userId, fileId, count);
  const at = new Date().toISOString();
  const id = await db.transaction().execute(async (trx) => {
    await stillMay(trx);
    return comparisonRepository(trx).insert(userId, { tunedModel, baseModel, temperature, at }, examples);
  });
  return findComparison(comparisonRepository(db), userId, id);
}

/** In the transaction that stores the questions. The answers that are replaced are removed in it. */
async function askSides(
  { sideQuestions }: Dependencies,
  trx: Kysely<Database>,
  askThem: (questions: SideQuestion[]) => Promise<number[]>,
  userId: number,
  { id, tunedModel, baseModel, temperature }: Comparison,
  promptId: number,
  again: boolean,
) {
  const rows = comparisonRepository(trx);
  const prompt = await findPrompt(rows, userId, { id, promptId });
  const answers = await sideQuestions.answers(userId, threadsOf([prompt]), trx);
  const sides = sidesToAsk(toShown(prompt, answers), again);
  if (sides.length === 0) return;
  const { instructions, turns, tunedThreadId, baseThreadId } = prompt;
  const modelOf = { tuned: tunedModel, base: baseModel };
  const threadOf = { tuned: tunedThreadId, base: baseThreadId };
  const threadIds = await askThem(
    sides.map((side) => ({ comparisonId: id, model: modelOf[side], instructions, turns, temperature })),
  );
  const asked = { ...threadOf };
  for (const [index, side] of sides.entries()) asked[side] = threadIds[index] ?? null;
  await rows.setThreads(userId, promptId, { tunedThreadId: asked.tuned, baseThreadId: asked.base });
  const replaced = sides.map((side) => threadOf[side]).filter((threadId) => threadId !== null);
  await sideQuestions.remove(trx, userId, async () => replaced);
}

/** Asks the models that have not answered this prompt yet; with `again` both of them anew. */
async function ask(
  dependencies: Dependencies,
  userId: number,
  ids: PromptIds,
  { again = false, overBudget = false }: z.output<typeof api.ask.body>,
): Promise<ComparisonPrompt> {
  const { database, sideQuestions } = dependencies;
  const rows = comparisonRepository(database.db);
  const comparison = await findComparison(rows, userId, ids.id);
  const now = await shown(dependencies, userId, await findPrompt(rows, userId, ids));
  if (sidesToAsk(now, again).length === 0) return now;
  await sideQuestions.ask(userId, { overBudget }, (trx, askThem) =>
    askSides(dependencies, trx, askThem, userId, comparison, ids.promptId, again),
  );
  return shown(dependencies, userId, await findPrompt(rows, userId, ids));
}

async function vote(
  dependencies: Dependencies,
  userId: number,
  ids: PromptIds,
  better: Vote | null,
): Promise<ComparisonPrompt> {
  const rows = comparisonRepository(dependencies.database.db);
  const prompt = await findPrompt(rows, userId, ids);
  const { tuned, base } = await shown(dependencies, userId, prompt);
  if (better !== null && (!tuned || !base || isUnderWay(tuned) || isUnderWay(base)))
    throw new AppError('conflict', 'Both answers must be there before you can say which is better.');
  if (!(await rows.setVote(userId, prompt, better)))
    throw new AppError('conflict', 'This prompt was asked again meanwhile. Look at the new answers first.');
  return shown(dependencies, userId, await findPrompt(rows, userId, ids));
}

/** With its answers; open runs are stopped first. */
async function remove({ database: { db }, sideQuestions }: Dependencies, userId: number, id: number) {
  await sideQuestions.stop(userId, await comparisonRepository(db).threadIds(userId, id));
  const removed = await db.transaction().execute(async (trx) => {
    const rows = comparisonRepository(trx);
    await sideQuestions.remove(trx, userId, () => rows.threadIds(userId, id));
    return rows.delete(userId, id);
  });
  if (!removed) throw noComparison();
}

export function comparisonService(dependencies: Dependencies) {
  const { database, sideQuestions } = dependencies;
  const rows = comparisonRepository(database.db);

  return {
    async list(userId: number, { limit, cursor }: z.output<typeof api.list.query>) {
      const found = await rows.page(userId, limit + 1, cursor);
      return pageOf(found, limit, ({ id }) => String(id));
    },

    async find(userId: number, id: number): Promise<Comparison & { items: ComparisonPrompt[] }> {
      const comparison = await findComparison(rows, userId, id);
      const prompts = await rows.prompts(userId, id);
      const answers = await sideQuestions.answers(userId, threadsOf(prompts));
      return { ...comparison, items: prompts.map((prompt) => toShown(prompt, answers)) };
    },

    create: (actor: Actor, draft: Draft) => create(dependencies, actor, draft),
    ask: (userId: number, ids: PromptIds, options: z.output<typeof api.ask.body>) =>
      ask(dependencies, userId, ids, options),
    vote: (userId: number, ids: PromptIds, better: Vote | null) => vote(dependencies, userId, ids, better),
    remove: (userId: number, id: number) => remove(dependencies, userId, id),
  };
}

export type ComparisonService = ReturnType<typeof comparisonService>;
