import type { FastifyReply } from 'fastify';
import type { OpenDatabase } from '../../db/connect.ts';
import type { Router } from '../../http/router.ts';
import { securityEventRepository } from '../../security/events-repository.ts';
import { noticeRepository } from '../../security/notices-repository.ts';
import type { ConfirmPassword } from '../auth/confirm-password.ts';
import type { SessionService } from '../auth/sessions.ts';
import type { ModelService } from '../models/service.ts';
import { accountClosing, type RemoveAtProvider } from './closing.ts';
import { accountExport, type ExportPart } from './export.ts';
import { accountPart } from './export-part.ts';
import { preferencesService } from './preferences.ts';
import { preferencesRepository } from './preferences-repository.ts';
import type { ProviderKeyService } from './provider-key.ts';
import { accountRemoval, type PartOfAccount } from './removal.ts';
import { accountRoutes } from './routes.ts';
import { securityEventPages } from './security-events.ts';

type Dependencies = {
  database: OpenDatabase;
  sessions: Pick<SessionService, 'live' | 'isFresh'>;
  keys: ProviderKeyService;
  models: Pick<ModelService, 'forget'>;
  confirmPassword: ConfirmPassword;
  clearCookie: (reply: FastifyReply) => void;
  /** Closes what is open of sessions that have ended. */
  onSessionsEnded: (sessionIds: string[]) => void;
  /** Called when a key was saved: what waited for one begins. */
  onKeySaved: (userId: number) => Promise<void>;
  /** What else becomes of a feature's part when an account goes. */
  goingWithAccount: PartOfAccount[];
  /** What each feature does to empty the account at the provider, in this order. */
  removeAtProvider: RemoveAtProvider[];
  /** What other features add to the export, in this order. */
  exported: ExportPart[];
};

/** Joins the parts of the account, as app.ts joins the features. */
export function createAccounts(dependencies: Dependencies) {
  const { database, sessions, keys, models, confirmPassword, clearCookie, onSessionsEnded } = dependencies;
  const { db } = database;
  const remove = accountRemoval({
    database,
    parts: dependencies.goingWithAccount,
    endStreams: onSessionsEnded,
    forget: models.forget,
  });
  const closeAccount = accountClosing({
    confirmPassword,
    sessions,
    removeAccount: remove,
    removeAtProvider: dependencies.removeAtProvider,
  });
  const exportAll = accountExport({
    db,
    parts: [accountPart(database), ...dependencies.exported],
    liveSessions: sessions.live,
  });
  const preferences = preferencesService(preferencesRepository(db));
  const securityEvents = securityEventPages(securityEventRepository(db));
  const { onKeySaved } = dependencies;

  return {
    routes: (router: Router) =>
      accountRoutes(router, {
        preferences,
        securityEvents,
        notices: noticeRepository(db),
        exportAll,
        closeAccount,
        keys,
        models,
        onKeySaved,
        clearCookie,
      }),
    /** Removes an account with everything of its owner; for the owner, and for administrators. */
    remove,
  };
}
