import { account as api } from '@roster/contracts/account';
import type { FastifyReply } from 'fastify';
import type { ModelService } from '#server/features/models/service';
import type { Router } from '#server/http/app-router/router';
import { requireFresh } from '#server/http/sessions/sessions';
import { visitorOf } from '#server/http/user-agent';
import { AppError } from '#server/lib/errors';
import { version } from '#server/lib/version';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { noticeRepository } from '#server/security/notices-repository';
import type { ExportAll } from './export.ts';
import type { PreferencesService } from './preferences.ts';
import type { AccountRemoval } from './removal.ts';
import type { SecurityEventPages } from './security-events.ts';

type Dependencies = {
  preferences: PreferencesService;
  securityEvents: SecurityEventPages;
  notices: Pick<ReturnType<typeof noticeRepository>, 'open' | 'dismiss'>;
  exportAll: ExportAll;
  closeAccount: AccountRemoval['close'];
  keys: ProviderKeyService;
  models: Pick<ModelService, 'forget'>;
  onKeySaved: (userId: number) => Promise<void>;
  clearCookie: (reply: FastifyReply) => void;
};

export function accountRoutes({ route, rawRoute }: Router, dependencies: Dependencies) {
  const { preferences, securityEvents, notices, exportAll, closeAccount, keys, models, onKeySaved, clearCookie } =
    dependencies;

  route(api.version, async () => ({ version }));
  route(api.preferences, ({ actor }) => preferences.find(actor.userId));
  route(api.savePreferences, ({ actor, body }) => preferences.save(actor.userId, body));
  route(api.saveLocale, ({ actor, body }) => preferences.saveLocale(actor.userId, body));
  route(api.securityEvents, ({ actor, query }) => securityEvents(actor.userId, query));
  route(api.notices, ({ actor }) => notices.open(actor.userId));
  route(api.dismissNotice, async ({ actor, params }) => {
    if (!(await notices.dismiss(actor.userId, params.id)))
      throw new AppError('not_found', 'This notice does not exist or has already been dismissed.');
  });
  rawRoute(api.exportData, async ({ actor, request, reply }) => {
    const { fileName, archive } = await exportAll(actor, visitorOf(request));
    request.log.info({ event: 'data_exported', userId: actor.userId }, 'data exported');
    return reply
      .type('application/octet-stream')
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .header('content-security-policy', "sandbox; default-src 'none'")
      .send(archive);
  });
  route(api.closeAccount, async ({ actor, body, request, reply }) => {
    await closeAccount(actor, body, visitorOf(request));
    clearCookie(reply);
    request.log.info({ event: 'account_closed', userId: actor.userId }, 'account closed');
  });
  route(api.config, ({ actor }) => keys.config(actor.userId));
  route(api.saveApiKey, async ({ actor, body, request }) => {
    if ((await keys.config(actor.userId)).hasApiKey) requireFresh(actor);
    const config = await keys.save(actor, body.apiKey, visitorOf(request));
    models.forget(actor.userId);
    await onKeySaved(actor.userId);
    request.log.info(
      { event: 'key_saved', userId: actor.userId, verified: config.apiKeyVerified },
      'provider key saved',
    );
    return config;
  });
  route(api.removeApiKey, async ({ actor, request }) => {
    await keys.remove(actor.userId, visitorOf(request));
    models.forget(actor.userId);
    request.log.info({ event: 'key_removed', userId: actor.userId }, 'provider key removed');
  });
}
