import type { File } from '@roster/contracts/files/files';
import { type ApiFile, apiFiles as api } from '@roster/contracts/public-api/files';
import type { Feature } from '#server/features/feature';
import type { fileDownload } from '#server/features/files/download';
import type { FileRepository } from '#server/features/files/repository';
import type { uploadService } from '#server/features/files/uploads';
import { listAnswer, unixSeconds } from '#server/features/public-api/shared/list';
import type { CallRegistry } from '#server/http/public-api/call-registry';
import { PublicApiError } from '#server/http/public-api/errors';
import type { FileIds } from './file-ids.ts';
import { createTurns } from './upload-queue.ts';

type Dependencies = {
  files: Pick<FileRepository, 'page' | 'find'> &
    Pick<ReturnType<typeof uploadService>, 'upload'> & {
      download: ReturnType<typeof fileDownload>;
      remove: (userId: number, fileId: number) => Promise<unknown>;
    };
  fileIds: FileIds;
  openCalls: CallRegistry;
};

/**
 * As many as the upload service takes at once. A client's other uploads wait, but not as long as an idle client may.
 */
const uploadsAtOnce = 2;
const patienceMs = 20_000;

/** Worded like the provider's, because clients may match it. */
const noFile = (id: string) =>
  new PublicApiError('not_found', `No such File object: ${id.slice(0, 100)}`, { param: 'id' });

const statusOf: Record<File['provider']['state'], ApiFile['status']> = {
  waiting_for_key: 'uploaded',
  queued: 'uploaded',
  forwarding: 'uploaded',
  ready: 'processed',
  // The file stays in Roster and will not be forwarded.
  not_served: 'processed',
  failed: 'error',
};

function toApiFile(id: string, { size, createdAt, filename, purpose, provider: { state, error } }: File): ApiFile {
  const status = statusOf[state];
  return {
    id,
    object: 'file',
    bytes: size,
    created_at: unixSeconds(createdAt),
    filename,
    purpose,
    status,
    ...(status === 'error' && error !== null && { status_details: error }),
  };
}

/** A user's files, for API clients. */
export function apiFileFeature({ files, fileIds, openCalls }: Dependencies): Feature {
  const inTurn = createTurns(uploadsAtOnce, patienceMs);

  async function numberOf(userId: number, id: string): Promise<number> {
    const number = (await fileIds.numbersOf(userId, [id])).get(id);
    if (number === undefined) throw noFile(id);
    return number;
  }

  return {
    apiRoutes({ route, rawRoute, uploadRoute }) {
      route(api.list, async ({ caller: { userId }, query: { purpose, limit, order, after } }) => {
        const place = after === undefined ? undefined : await fileIds.placeOf(userId, after);
        if (after !== undefined && place === undefined) throw noFile(after);
        if (purpose === null) return listAnswer([], limit);
        const rows = await files.page(userId, {
          limit: limit + 1,
          sort: order === 'desc' ? 'newest' : 'oldest',
          after: place === undefined ? undefined : { value: place, id: place },
          purpose,
          q: undefined,
        });
        const shown = rows.map(async (file) => toApiFile(await fileIds.idOf(file.id), file));
        return listAnswer(await Promise.all(shown), limit);
      });
      uploadRoute(api.create, async ({ caller, request, receive }) => {
        const length = request.headers['content-length'];
        const file = await inTurn(caller.userId, () =>
          files.upload(caller, length === undefined ? undefined : Number(length), receive),
        );
        return toApiFile(await fileIds.idOf(file.id), file);
      });
      route(api.get, async ({ caller: { userId }, params: { id } }) => {
        const file = await files.find(userId, await numberOf(userId, id));
        if (!file) throw noFile(id);
        return toApiFile(id, file);
      });
      rawRoute(api.content, async ({ caller, params: { id }, reply }) => {
        const { userId } = caller;
        const number = await numberOf(userId, id);
        const { controller, done } = openCalls.begin(caller);
        reply.raw.once('close', done);
        const file = await files.download(userId, number);
        if (!file) throw noFile(id);
        controller.signal.addEventListener('abort', () => reply.raw.destroy(), { once: true });
        return reply.headers(file.headers).send(file.content);
      });
      route(api.remove, async ({ caller: { userId }, params: { id } }) => {
        await files.remove(userId, await numberOf(userId, id));
        return { id, object: 'file' as const, deleted: true as const };
      });
    },
  };
}
