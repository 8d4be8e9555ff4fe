import type { OpenDatabase } from '#server/db/connect';
import type { ConfirmPassword } from '#server/features/auth/shared/confirm-password';
import type { Feature } from '#server/features/feature';
import type { ModelService } from '#server/features/models/service';
import type { Router } from '#server/http/app-router/router';
import type { SessionCookie } from '#server/http/sessions/cookie';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import { securityEventRepository } from '#server/security/events-repository';
import { noticeRepository } from '#server/security/notices-repository';
import { accountExport } from './export.ts';
import { accountPart } from './export-part.ts';
import { preferencesService } from './preferences.ts';
import { preferencesRepository } from './preferences-repository.ts';
import { accountRemoval } from './removal.ts';
import { accountRoutes } from './routes.ts';
import { securityEventPages } from './security-events.ts';

type Dependencies = {
  database: OpenDatabase;
  keys: ProviderKeyService;
  models: Pick<ModelService, 'forget'>;
  confirmPassword: ConfirmPassword;
  cookie: Pick<SessionCookie, 'clear'>;
  /** Closes the open responses of ended sessions. */
  onSessionsEnded: (sessionIds: string[]) => void;
  /** Features with user data; each builds on those before it. */
  features: readonly Feature[];
};

/** A user’s own account: preferences, provider key, security record, export and deletion. */
export function accountFeature(dependencies: Dependencies) {
  const { database, keys, models, confirmPassword, cookie, onSessionsEnded, features } = dependencies;
  const { db } = database;
  const removal = accountRemoval({
    database,
    parts: features.flatMap(({ removalPart = [] }) => removalPart),
    onSessionsEnded,
    forget: models.forget,
    confirmPassword,
    // Reversed, so that objects made from files are removed before the files.
    removeAtProvider: features.toReversed().flatMap(({ removeAtProvider = [] }) => removeAtProvider),
  });
  const exportAll = accountExport(db, [
    accountPart(database),
    ...features.flatMap(({ exportParts = [] }) => exportParts),
  ]);
  const preferences = preferencesService(preferencesRepository(db));
  const securityEvents = securityEventPages(securityEventRepository(db));
  const notices = noticeRepository(db);
  async function onKeySaved(userId: number) {
    for (const { keySaved } of features) await keySaved?.(userId);
  }
  const { clear: clearCookie } = cookie;
  const parts = {
    preferences,
    securityEvents,
    notices,
    exportAll,
    closeAccount: removal.close,
    keys,
    models,
    onKeySaved,
    clearCookie,
  };

  return {
    routes: (router: Router) => accountRoutes(router, parts),
    /** Deletes an account with all its data, for its owner or an administrator. */
    remove: removal.remove,
  };
}
