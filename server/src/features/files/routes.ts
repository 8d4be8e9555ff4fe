import { files as api } from '@roster/contracts/files/files';
import type { Router } from '#server/http/app-router/router';
import { setNextLink } from '#server/http/paging';
import { AppError } from '#server/lib/errors';
import type { fileDownload } from './download.ts';
import type { fileListing } from './listing.ts';
import type { ProviderFileRepository } from './provider-file-repository.ts';
import type { ProviderUploads } from './provider-uploads.ts';
import type { removal } from './removal.ts';
import type { FileRepository } from './repository.ts';
import type { uploadService } from './uploads.ts';

type Dependencies = {
  files: FileRepository;
  copies: ProviderFileRepository;
  download: ReturnType<typeof fileDownload>;
  uploads: ReturnType<typeof uploadService>;
  list: ReturnType<typeof fileListing>;
  removals: ReturnType<typeof removal>;
  forwarding: ProviderUploads;
};

const notFound = () => new AppError('not_found', 'File not found.');

export function fileRoutes(router: Router, dependencies: Dependencies) {
  const { files, copies, download, uploads, list, removals, forwarding } = dependencies;
  const { route, rawRoute, uploadRoute } = router;

  async function found(userId: number, id: number) {
    const file = await files.find(userId, id);
    if (!file) throw notFound();
    return file;
  }

  route(api.list, async ({ actor, query, reply }) => {
    const { items, nextCursor } = await list(actor.userId, query);
    setNextLink(reply, api.list.path, query, nextCursor);
    return items;
  });
  route(api.summary, ({ actor }) => files.summary(actor.userId));
  uploadRoute(api.upload, ({ actor, request, receive }) => {
    const length = request.headers['content-length'];
    return uploads.upload(actor, length === undefined ? undefined : Number(length), receive);
  });
  rawRoute(api.content, async ({ actor, params, reply }) => {
    const file = await download(actor.userId, params.id);
    if (!file) throw notFound();
    return reply.headers(file.headers).send(file.content);
  });
  route(api.remove, ({ actor, params }) => removals.remove(actor.userId, params.id));
  route(api.removeMany, ({ actor, body }) => removals.removeMany(actor.userId, body.ids));
  route(api.removals, ({ actor }) => copies.pendingRemovals(actor.userId));
  route(api.retry, async ({ actor, params }) => {
    await found(actor.userId, params.id);
    await forwarding.retry(actor.userId, params.id);
    return found(actor.userId, params.id);
  });
}
