import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { User } from '@roster/contracts/auth';
import { pages } from '@roster/contracts/page-paths';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#server/lib/errors';
import { createPages } from './pages.ts';

const folder = fileURLToPath(new URL('../../../../web/dist/', import.meta.url));

const html = 'text/html; charset=utf-8';

/** Files whose names contain a hash of their content. */
const assets = 'assets/';
const immutable = 'public, max-age=31536000, immutable';

/** Draws diagrams in a page with an opaque origin and no network access, because the source is untrusted. */
const frame = 'frame/';
const frameHeaders = {
  'content-security-policy': [
    'sandbox allow-scripts',
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  // An opaque origin is cross-origin to the scripts.
  'cross-origin-resource-policy': 'cross-origin',
};

const notFound = () => new AppError('not_found', 'There is nothing at this address.');

/** Mails link to these with a token in the URL. */
const pagesWithTokens: ReadonlySet<string> = new Set([
  '/reset-password',
  '/login-link',
  '/confirm-email',
  '/invitation',
]);

/** The built files for browsers; compressed variants are found next to them. */
const publicFiles = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^\.|\.(br|gz)$|^index\.html$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('.'));

type Options = {
  app: FastifyInstance;
  sessionToken: (request: FastifyRequest) => string | undefined;
  /** The user of a session token; null for a visitor. */
  findUser: (token: string, request: FastifyRequest) => Promise<User | null>;
  /** True until there is an account, if visitors may register it. */
  isNewInstallation: () => Promise<boolean>;
};

/** Not asked again once there is an account: most visitors come later. */
function newInstallation(isNewInstallation: Options['isNewInstallation']) {
  let isNew = true;
  return async ({ log }: FastifyRequest): Promise<boolean> => {
    if (!isNew) return false;
    try {
      isNew = await isNewInstallation();
    } catch (err) {
      log.warn({ err }, 'page served without knowing whether there is an account');
    }
    return isNew;
  };
}

/** Serves the built web application: precompressed files, and pages with the shell of the user who opens them. */
export async function serveWeb({ app, sessionToken, findUser, isNewInstallation }: Options) {
  const web = createPages(folder);
  const isNew = newInstallation(isNewInstallation);
  const config = { access: 'operation' } as const;

  if (web) {
    await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true, cacheControl: false });
    const files = publicFiles();
    for (const file of files.filter((path) => !path.startsWith(assets)))
      app.get(`/${file}`, { config }, (_request, reply) => {
        const isNamedByContent = file.startsWith(frame) && file.endsWith('.js');
        reply.header('cache-control', isNamedByContent ? immutable : 'no-cache');
        if (file.startsWith(frame)) reply.headers(frameHeaders);
        return reply.sendFile(file);
      });
    // One route for all: each route takes 20 kB in Fastify, and there are 170 files.
    const assetFiles = new Set(files.filter((path) => path.startsWith(assets)));
    app.get<{ Params: { name: string } }>(`/${assets}:name`, { config }, (request, reply) => {
      const file = `${assets}${request.params.name}`;
      if (!assetFiles.has(file)) throw notFound();
      reply.header('cache-control', immutable);
      return reply.sendFile(file);
    });
  }

  for (const url of pages) app.get(url, { config }, (request, reply) => sendPage(request, reply, url));
  app.setNotFoundHandler((request, reply) => {
    const wantsPage = request.method === 'GET' && !/^\/(api|assets)\//.test(request.url);
    if (!wantsPage || !web) throw notFound();
    return reply.status(404).header('cache-control', 'no-cache').type(html).send(web.bare);
  });

  async function sendPage(request: FastifyRequest, reply: FastifyReply, route: string) {
    if (!web) throw new AppError('not_found', 'The browser application is not built. Run npm start.');
    const user = await currentUser(request);
    if (pagesWithTokens.has(route)) reply.header('referrer-policy', 'no-referrer');
    reply.header('vary', 'cookie').type(html);
    // A page that contains a name must never be cached.
    reply.header('cache-control', user ? 'private, no-store' : 'no-cache');
    const id = Object.values(request.params ?? {}).find(
      (value) => typeof value === 'string' && /^[1-9]\d{0,9}$/.test(value),
    );
    const search = request.url.slice(request.url.split('?', 1)[0]?.length);
    return user === undefined ? web.bare : web.of({ route, id, search }, user, user === null && (await isNew(request)));
  }

  /** undefined if the user cannot be determined: the page reports that itself once it has called the API. */
  async function currentUser(request: FastifyRequest): Promise<User | null | undefined> {
    const token = sessionToken(request);
    if (token === undefined) return null;
    try {
      return await findUser(token, request);
    } catch (err) {
      request.log.warn({ err }, 'page served without knowing the user');
      return undefined;
    }
  }
}
