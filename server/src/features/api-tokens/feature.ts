import type { FastifyBaseLogger } from 'fastify';
import type { OpenDatabase } from '#server/db/connect';
import type { Router } from '#server/http/app-router/router';
import { apiTokenExport } from './export-part.ts';
import { apiTokenRoutes } from './routes.ts';
import { apiTokenService } from './service.ts';

type Dependencies = { database: OpenDatabase; log: FastifyBaseLogger };

export function apiTokenFeature({ database, log }: Dependencies) {
  const tokens = apiTokenService({
    db: database.db,
    onError: (err) => log.error({ err }, 'the use of an access token could not be recorded'),
  });
  return {
    routes: (router: Router) => apiTokenRoutes(router, tokens),
    exportParts: [apiTokenExport(database)],
    close: tokens.close,
    findCaller: tokens.find,
  };
}
