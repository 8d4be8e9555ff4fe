import type { OpenDatabase } from '#server/db/connect';
import type { ModelService } from '#server/features/models/service';
import type { Router } from '#server/http/app-router/router';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Provider } from '#server/provider/provider';
import { apiAssistants } from './api-assistants.ts';
import { assistantDraftExport } from './drafts/export-part.ts';
import { assistantDraftService } from './drafts/service.ts';
import { assistantExport } from './export-part.ts';
import { importService } from './import.ts';
import type { KnowledgeService } from './knowledge/service.ts';
import { assistantRoutes } from './routes.ts';
import { assistantService } from './service.ts';
import { assistantRepository } from './shared/repository.ts';
import { versionExport } from './versions/export-part.ts';
import type { VersionRecorder } from './versions/recorder.ts';
import { versionService } from './versions/service.ts';
import type { ToolSelectionsIn } from './versions/state.ts';

type Imports = Parameters<typeof importService>[0];
type Dependencies = {
  database: OpenDatabase;
  provider: Pick<Provider, 'assistants'>;
  catalogue: Catalogue;
  now: () => number;
  keys: ProviderKeyService;
  models: Pick<ModelService, 'usable' | 'defaultModel'>;
  knowledge: Pick<KnowledgeService, 'list' | 'add' | 'remove' | 'retry'>;
  storesNamed: Imports['storesNamed'];
  filesNamed: Imports['filesNamed'];
  choicesIn: ToolSelectionsIn;
  versions: VersionRecorder;
};

export function assistantFeature({
  database,
  provider,
  catalogue,
  now,
  keys,
  models,
  knowledge,
  storesNamed,
  filesNamed,
  choicesIn,
  versions,
}: Dependencies) {
  const { db } = database;
  const assistants = assistantService({ database, models, choicesIn, versions });
  const imports = importService({ db, provider, keys, models, catalogue, now, storesNamed, filesNamed, versions });
  const drafts = assistantDraftService(db);
  const history = versionService({ db, models, choicesIn, versions });
  const { find, labels } = assistantRepository(db);

  return {
    routes: (router: Router) => assistantRoutes(router, { assistants, drafts, history, imports, knowledge }),
    exportParts: [assistantExport(database), versionExport(database), assistantDraftExport(database)],
    apiAssistants: apiAssistants({ db, models, versions }),
    find,
    /** For drafts that are compared before they are saved. */
    drafted: { find, checkChanges: assistants.checkChanges, updateVersion: assistants.updateVersion },
    labels,
    owns: async (userId: number, id: number) => (await find(userId, id)) !== undefined,
  };
}
