import type { Replay, ReplayableQuestion } from '@roster/contracts/comparisons/replays';
import type { HttpClient } from './http-client.ts';

/** The answers of an assistant with a model. */
export async function questionsOf(visitor: HttpClient, assistantId: number, query: Record<string, string> = {}) {
  const search = new URLSearchParams({ model: 'gpt-4o', ...query });
  const { status, body } = await visitor.get(`/api/assistants/${assistantId}/questions?${search}`);
  if (status !== 200) throw new Error(`No questions: ${status} ${JSON.stringify(body)}`);
  const { items }: { items: ReplayableQuestion[] } = body;
  return items;
}

export const replayOf = (visitor: HttpClient, assistantId: number, answerIds: number[], more: object = {}) =>
  visitor.post(`/api/assistants/${assistantId}/replays`, {
    ...{ fromModel: 'gpt-4o', toModel: 'gpt-4.1', answerIds },
    ...more,
  });

/** Creates a replay. */
export async function newReplay(...given: Parameters<typeof replayOf>): Promise<Replay> {
  const { status, body } = await replayOf(...given);
  if (status !== 201) throw new Error(`No replay: ${status} ${JSON.stringify(body)}`);
  return body;
}
