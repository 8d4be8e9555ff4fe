import type { FastifyBaseLogger } from 'fastify';
import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import type { Router } from '#server/http/app-router/router';
import { accessTokenRepository } from '#server/security/access-token-repository';
import { apiTokenRoutes } from './routes.ts';
import { apiTokenService } from './service.ts';

/** Access tokens in an account export, without the tokens themselves. */
function apiTokenExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  return {
    description: ['access-tokens.json             what programs use the account with; not the tokens themselves'],
    async *entries(userId) {
      const all = await accessTokenRepository(reader).all(userId);
      yield { name: 'access-tokens.json', content: [`${JSON.stringify(all, undefined, 2)}\n`] };
    },
  };
}

export function apiTokenFeature(database: OpenDatabase, log: FastifyBaseLogger) {
  const tokens = apiTokenService(database.db, (err) =>
    log.error({ err }, 'the use of an access token could not be recorded'),
  );
  return {
    routes: (router: Router) => apiTokenRoutes(router, tokens),
    exportParts: [apiTokenExport(database)],
    close: tokens.close,
    findCaller: tokens.find,
  };
}
