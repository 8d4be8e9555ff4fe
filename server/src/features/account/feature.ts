import type { OpenDatabase } from '../../db/connect.ts';
import type { Feature } from '../../feature.ts';
import type { Router } from '../../http/router.ts';
import { securityEventRepository } from '../../security/events-repository.ts';
import { noticeRepository } from '../../security/notices-repository.ts';
import type { ConfirmPassword } from '../auth/confirm-password.ts';
import type { SessionCookie } from '../auth/cookie.ts';
import type { SessionService } from '../auth/sessions.ts';
import type { ModelService } from '../models/service.ts';
import { accountClosing } from './closing.ts';
import { accountExport } from './export.ts';
import { accountPart } from './export-part.ts';
import { preferencesService } from './preferences.ts';
import { preferencesRepository } from './preferences-repository.ts';
import type { ProviderKeyService } from './provider-key.ts';
import { accountRemoval } from './removal.ts';
import { accountRoutes } from './routes.ts';
import { securityEventPages } from './security-events.ts';

type Dependencies = {
  database: OpenDatabase;
  sessions: Pick<SessionService, 'live' | 'isFresh'>;
  keys: ProviderKeyService;
  models: Pick<ModelService, 'forget'>;
  confirmPassword: ConfirmPassword;
  cookie: Pick<SessionCookie, 'clear'>;
  /** Closes what is open of sessions that have ended. */
  onSessionsEnded: (sessionIds: string[]) => void;
  /** What holds something of a user's; each is built on those before it. */
  features: readonly Feature[];
};

/** A user's own account: preferences, provider key, record, export and removal. */
export function accountFeature(dependencies: Dependencies) {
  const { database, sessions, keys, models, confirmPassword, cookie, onSessionsEnded, features } = dependencies;
  const { db } = database;
  const remove = accountRemoval({
    database,
    parts: features.flatMap(({ removalPart = [] }) => removalPart),
    onSessionsEnded,
    forget: models.forget,
  });
  const closeAccount = accountClosing({
    confirmPassword,
    sessions,
    removeAccount: remove,
    // What is made of files goes before them.
    removeAtProvider: features.toReversed().flatMap(({ removeAtProvider = [] }) => removeAtProvider),
  });
  const exportAll = accountExport({
    db,
    parts: [accountPart(database), ...features.flatMap(({ exportParts = [] }) => exportParts)],
    liveSessions: sessions.live,
  });
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
    closeAccount,
    keys,
    models,
    onKeySaved,
    clearCookie,
  };

  return {
    routes: (router: Router) => accountRoutes(router, parts),
    /** Removes an account with everything of its owner; for the owner, and for administrators. */
    remove,
  };
}
