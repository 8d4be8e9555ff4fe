import type { ResponseItem } from '@roster/contracts/public-api/responses';
import type { Ids } from '#server/features/public-api/shared/ids';
import { PublicApiError } from '#server/http/public-api/errors';
import type { JsonObject } from '#server/lib/is-object';
import { type StoredItem, toInputItems, toStoredItem, typeOf } from './items.ts';
import type { ResponseRepository } from './repository.ts';

/** Limits of a chain of responses: how many, and how many bytes. */
const maxChain = { links: 1_000, bytes: 20 * 1024 * 1024 };

const refusedPrevious = (message: string, code: string | null) =>
  new PublicApiError('invalid_input', message, { param: 'previous_response_id', ...(code !== null && { code }) });

const noPrevious = (id: string) =>
  refusedPrevious(`Previous response with id '${id.slice(0, 100)}' not found.`, 'previous_response_not_found');

type History = { previousId: number | null; items: StoredItem[] };

/** Resolves what a request refers to: a previous response, and single items. */
export function responseHistory(
  repository: Pick<ResponseRepository, 'chain' | 'items' | 'named' | 'existing'>,
  ids: () => Promise<Ids>,
) {
  async function before(userId: number, previous: string): Promise<History> {
    const previousId = (await ids()).decode('resp', previous);
    const links = previousId === undefined ? [] : await repository.chain(userId, previousId, maxChain);
    const [last] = links;
    if (previousId === undefined || !last) throw noPrevious(previous);
    if (last.state === 'queued' || last.state === 'in_progress')
      throw refusedPrevious(`The response '${previous}' is still being written. Wait for its end.`, null);
    if (last.state !== 'completed' && last.state !== 'incomplete')
      throw refusedPrevious(`The response '${previous}' is ${last.state}: continue from the response before it.`, null);
    const total = links.reduce((sum, { bytes }) => sum + bytes, 0);
    if (links.length > maxChain.links || total > maxChain.bytes)
      throw refusedPrevious(
        `This chain of responses is too long: the limit is ${maxChain.links} responses or ${maxChain.bytes / 1024 / 1024} MiB. Send the relevant parts as input, without previous_response_id.`,
        'previous_responses_too_long',
      );
    if (links.at(-1)?.previousId !== null)
      throw refusedPrevious(
        `A response before '${previous}' has been deleted. Send the relevant parts as input, without previous_response_id.`,
        'previous_response_not_found',
      );
    const rows = await repository.items(
      userId,
      links.map(({ id }) => id),
    );
    return { previousId, items: rows.map(({ item }): StoredItem => JSON.parse(item)) };
  }

  return {
    before: async (userId: number, previous: string | null | undefined): Promise<History> =>
      previous ? before(userId, previous) : { previousId: null, items: [] },
    /** Replaces references by their items; `read` is what the provider gets. */
    async resolved(userId: number, named: ResponseItem[]): Promise<{ items: ResponseItem[]; read: JsonObject[] }> {
      const references = named.flatMap((item) => (isReference(item) ? String(item.id) : []));
      const others = named.flatMap((item) => (!isReference(item) && typeof item.id === 'string' ? item.id : []));
      const found = new Map(
        (await repository.named(userId, [...new Set(references)])).map(({ name, item }) => [name, item] as const),
      );
      const own = await repository.existing(userId, [...new Set(others)]);
      const items = named.map((item): ResponseItem => (isReference(item) ? referred(found, item.id) : item));
      const isOurs = (index: number) => {
        const item = named[index];
        return item !== undefined && (isReference(item) || own.has(String(item.id)));
      };
      return {
        items,
        read: items.flatMap((item, index) => (isOurs(index) ? toInputItems(toStoredItem(item)) : [item])),
      };
    },
  };
}

const isReference = (item: ResponseItem) => typeOf(item) === 'item_reference';

function referred(found: ReadonlyMap<string, string>, id: unknown): ResponseItem {
  if (typeof id !== 'string')
    throw new PublicApiError('invalid_input', 'An item without a type, or that refers to another one, needs an id.', {
      param: 'input',
    });
  const item = found.get(id);
  if (item === undefined)
    throw new PublicApiError('invalid_input', `Item with id '${id.slice(0, 100)}' not found.`, { param: 'input' });
  return JSON.parse(item);
}

export type ResponseHistory = ReturnType<typeof responseHistory>;
