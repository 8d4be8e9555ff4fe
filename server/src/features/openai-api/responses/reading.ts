import type { ApiPage } from '@roster/contracts/openai-api/list';
import type { Ids } from '#server/features/openai-api/ids';
import { listAnswer, numberedPage } from '#server/features/openai-api/list';
import { ApiRefusal } from '#server/http/api-errors';
import type { KeptItem } from './items.ts';
import type { ResponseRepository } from './repository.ts';

type Dependencies = {
  repository: Pick<ResponseRepository, 'find' | 'items' | 'inputPage' | 'named' | 'remove'>;
  ids: () => Promise<Ids>;
};

/** As the provider words it, which programs may look for. */
const noResponse = (id: string) =>
  new ApiRefusal('not_found', `Response with id '${id.slice(0, 100)}' not found.`, { param: 'id' });

const parsed = (item: string): KeptItem => JSON.parse(item);

/** The responses that are kept of a person, by their names. */
export function keptResponses({ repository, ids }: Dependencies) {
  async function numberOf(name: string): Promise<number> {
    const id = (await ids()).decode('resp', name);
    if (id === undefined) throw noResponse(name);
    return id;
  }

  async function find(userId: number, name: string) {
    const found = await repository.find(userId, await numberOf(name));
    if (!found) throw noResponse(name);
    return found;
  }

  return {
    find,
    async get(userId: number, name: string) {
      const { id, state, fields, error } = await find(userId, name);
      const rows = await repository.items(userId, [id], 'out');
      return {
        ...JSON.parse(fields),
        id: name,
        status: state,
        error: error === null ? null : JSON.parse(error),
        output: rows.map(({ item }) => parsed(item)),
      };
    },
    async remove(userId: number, name: string) {
      if (!(await repository.remove(userId, await numberOf(name)))) throw noResponse(name);
      return { id: name, object: 'response' as const, deleted: true as const };
    },
    async inputItems(userId: number, name: string, page: ApiPage) {
      const { id } = await find(userId, name);
      const ends = [page.after, page.before].flatMap((end) => end ?? []);
      const places = new Map((await repository.named(userId, ends, id)).map((row) => [row.name, row.id] as const));
      const numbered = numberedPage(page, 'item', (end) => places.get(end));
      const rows = await repository.inputPage(userId, id, numbered);
      return listAnswer(
        rows.map(({ item }) => parsed(item)),
        page.limit,
      );
    },
  };
}

export type KeptResponses = ReturnType<typeof keptResponses>;
