import type { ApiPage } from '@roster/contracts/public-api/list';
import type { Ids } from '#server/features/public-api/shared/ids';
import { listAnswer, numberedPage } from '#server/features/public-api/shared/list';
import { PublicApiError } from '#server/http/public-api/errors';
import type { BackgroundRunner } from './background.ts';
import type { FileNames } from './file-names.ts';
import type { StoredItem } from './items.ts';
import type { ResponseRepository } from './repository.ts';

type Dependencies = {
  repository: Pick<ResponseRepository, 'find' | 'items' | 'inputPage' | 'named' | 'remove'>;
  background: Pick<BackgroundRunner, 'cancel'>;
  ids: () => Promise<Ids>;
  fileNames: Pick<FileNames, 'forClient'>;
};

/** Worded like the provider's, because clients may match it. */
const noResponse = (id: string) =>
  new PublicApiError('not_found', `Response with id '${id.slice(0, 100)}' not found.`, { param: 'id' });

/** A user's stored responses, by public id. */
export function storedResponses({ repository, background, ids, fileNames }: Dependencies) {
  const read = (userId: number, rows: { item: string }[]) =>
    fileNames.forClient(
      userId,
      rows.map(({ item }): StoredItem => JSON.parse(item)),
    );

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

  async function get(userId: number, name: string) {
    const { id, state, fields, error } = await find(userId, name);
    const rows = await repository.items(userId, [id], 'out');
    return {
      ...JSON.parse(fields),
      id: name,
      status: state,
      error: error === null ? null : JSON.parse(error),
      output: await read(userId, rows),
    };
  }

  return {
    get,
    async cancel(userId: number, name: string) {
      const { id, isBackground } = await find(userId, name);
      if (!isBackground)
        throw new PublicApiError('invalid_input', 'Only responses created with background=true can be cancelled.', {});
      await background.cancel(userId, id);
      return get(userId, name);
    },
    async remove(userId: number, name: string) {
      const id = await numberOf(name);
      await background.cancel(userId, id);
      if (!(await repository.remove(userId, id))) throw noResponse(name);
      return { id: name, object: 'response' as const, deleted: true as const };
    },
    async inputItems(userId: number, name: string, page: ApiPage) {
      const { id } = await find(userId, name);
      const ends = [page.after, page.before].flatMap((end) => end ?? []);
      const places = new Map((await repository.named(userId, ends, id)).map((row) => [row.name, row.id] as const));
      const numbered = numberedPage(page, 'item', (end) => places.get(end));
      const rows = await repository.inputPage(userId, id, numbered);
      return listAnswer(await read(userId, rows), page.limit, numbered.isBack);
    },
  };
}
