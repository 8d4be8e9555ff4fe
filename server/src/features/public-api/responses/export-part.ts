import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import { type ResponseRepository, responseRepository } from './repository.ts';

const responsesAtOnce = 50;

async function* lines(repository: ResponseRepository, ids: Ids, userId: number) {
  let after = 0;
  for (;;) {
    const batch = await repository.page(userId, after, responsesAtOnce);
    const last = batch.at(-1);
    if (!last) return;
    for (const row of batch) {
      const items = await repository.items(userId, [row.id]);
      const of = (direction: 'in' | 'out') =>
        items.filter((one) => one.direction === direction).map(({ item }): unknown => JSON.parse(item));
      const { state, created_at: createdAt, expires_at: expiresAt } = row;
      const line = {
        id: ids(row.id),
        previousId: row.previous_id === null ? null : ids(row.previous_id),
        model: row.model,
        assistantId: row.assistant_id,
        accessTokenId: row.access_token_id,
        state,
        error: row.error === null ? null : JSON.parse(row.error),
        createdAt,
        expiresAt,
        fields: JSON.parse(row.fields),
        input: of('in'),
        output: of('out'),
      };
      yield `${JSON.stringify(line)}\n`;
    }
    after = last.id;
  }
}

/** Public ids of responses. */
type Ids = (id: number) => string;

/** Responses that clients have requested, with their answers. */
export function responseExport({ reader }: Pick<OpenDatabase, 'reader'>, ids: () => Promise<Ids>): ExportPart {
  return {
    description: ['responses.jsonl                the responses that programs requested in the last 30 days'],
    async *entries(userId) {
      yield { name: 'responses.jsonl', content: lines(responseRepository(reader), await ids(), userId) };
    },
  };
}
