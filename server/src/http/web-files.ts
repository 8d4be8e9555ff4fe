import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { pages } from '@roster/contracts/pages';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';

const folder = fileURLToPath(new URL('../../../web/dist/', import.meta.url));

/** Their addresses come with a token from a mail. */
const pagesWithTokens: ReadonlySet<string | undefined> = new Set(['/reset-password', '/confirm-email']);

/** What the build made for the browser; the compressed forms are found beside the files. */
const publicFiles = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^\.|\.(br|gz)$|^index\.html$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('.'));

/** Serves the built browser application, compressed as it was built. */
export async function serveWeb(app: FastifyInstance) {
  const built = existsSync(`${folder}index.html`);
  const index = built ? readFileSync(`${folder}index.html`) : undefined;
  const config = { access: 'operation' } as const;

  if (built) {
    await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true, cacheControl: false });
    for (const file of publicFiles())
      app.get(`/${file}`, { config }, (_request, reply) => {
        const immutable = file.startsWith('assets/');
        reply.header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
        return reply.sendFile(file);
      });
  }

  for (const url of pages)
    app.get(url, { config }, (request, reply) => {
      if (pagesWithTokens.has(request.routeOptions.url)) reply.header('referrer-policy', 'no-referrer');
      return sendIndex(reply);
    });
  app.setNotFoundHandler((request, reply) => {
    const wantsPage = request.method === 'GET' && !/^\/(api|assets)\//.test(request.url);
    if (!wantsPage || !index) throw new AppError('not_found', 'There is nothing at this address.');
    return sendIndex(reply.status(404));
  });

  function sendIndex(reply: {
    header: (n: string, v: string) => unknown;
    type: (t: string) => { send: (b: Buffer) => unknown };
  }) {
    if (!index) throw new AppError('not_found', 'The browser application is not built. Run npm start.');
    reply.header('cache-control', 'no-cache');
    return reply.type('text/html; charset=utf-8').send(index);
  }
}
