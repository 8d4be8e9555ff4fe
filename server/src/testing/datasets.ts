import type { AnswerRating, Message } from '@roster/contracts/chat';
import type { Dataset, DatasetExample } from '@roster/contracts/fine-tuning/datasets';
import type { z } from 'zod';
import { ask, newThread } from './chat.ts';
import { withDatabase } from './database.ts';
import type { HttpClient } from './http-client.ts';

export const datasetsPath = '/api/fine-tuning/datasets';

export async function rated(visitor: HttpClient, messageId: number, rating: Partial<AnswerRating>): Promise<Message> {
  const { status, body } = await visitor.post(`/api/messages/${messageId}/rating`, rating);
  if (status !== 200) throw new Error(`Not rated: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** A thread with one question per rating, and its answers rated accordingly. */
export async function ratedThread(
  app: { url: string },
  visitor: HttpClient,
  ratings: Partial<AnswerRating>[],
  more: Record<string, unknown> = {},
): Promise<{ threadId: number; answers: Message[]; questions: Message[] }> {
  const threadId = await newThread(visitor, more);
  const answers: Message[] = [];
  const questions: Message[] = [];
  for (const [index, rating] of ratings.entries()) {
    const { answer, message } = await ask(app, visitor, threadId, `Question ${index + 1}`);
    questions.push(message);
    answers.push(Object.keys(rating).length > 0 ? await rated(visitor, answer.id, rating) : answer);
  }
  return { threadId, answers, questions };
}

type GatheredDataset = Dataset & { added: number; left: number };

export async function gathered(visitor: HttpClient, more: Record<string, unknown> = {}): Promise<GatheredDataset> {
  const { status, body } = await visitor.post(datasetsPath, { name: 'Examples', ...more });
  if (status !== 201) throw new Error(`Not gathered: ${status} ${JSON.stringify(body)}`);
  return body;
}

export async function examplesOf(visitor: HttpClient, datasetId: number, query = ''): Promise<DatasetExample[]> {
  const { status, body } = await visitor.get(`${datasetsPath}/${datasetId}/examples?limit=100${query}`);
  if (status !== 200) throw new Error(`No examples: ${status} ${JSON.stringify(body)}`);
  return body.items;
}

export const textsOf = (turns: z.output<typeof DatasetExample>['turns']) => turns.map(({ text }) => text);

type GivenExample = { question: string; answer: string; instructions?: string; review?: DatasetExample['review'] };

/** A dataset of these examples, which come from no thread. Its owner must have a key. */
export async function datasetOf(
  app: Parameters<typeof withDatabase>[0] & { url: string },
  visitor: HttpClient,
  examples: GivenExample[],
): Promise<number> {
  await ratedThread(app, visitor, [{ value: 'good' }]);
  const { id } = await gathered(visitor);
  const { id: userId } = (await visitor.get('/api/user')).body;
  const rows = examples.map(({ question, answer, instructions = '', review = 'unreviewed' }) => ({
    user_id: userId,
    dataset_id: id,
    source_message_id: null,
    rejected_message_id: null,
    turns: JSON.stringify([{ role: 'user', text: question, files: [] }]),
    rejected: null,
    ...{ instructions, answer, review },
    created_at: '2026-01-01T00:00:00.000Z',
  }));
  await withDatabase(app, async (db) => {
    await db.deleteFrom('dataset_examples').where('dataset_id', '=', id).execute();
    for (let from = 0; from < rows.length; from += 100)
      await db
        .insertInto('dataset_examples')
        .values(rows.slice(from, from + 100))
        .execute();
  });
  return id;
}
