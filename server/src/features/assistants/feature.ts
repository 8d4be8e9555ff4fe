import type { OpenDatabase } from '#server/db/connect';
import type { ProviderKeyService } from '#server/features/account/provider-key';
import type { ModelService } from '#server/features/models/service';
import type { Router } from '#server/http/router';
import type { Catalogue } from '#server/provider/catalogue';
import type { Provider } from '#server/provider/provider';
import { assistantExport } from './export-part.ts';
import { importService } from './import.ts';
import type { KnowledgeService } from './knowledge/service.ts';
import { programAssistants } from './of-programs.ts';
import { assistantRepository } from './repository.ts';
import { assistantRoutes } from './routes.ts';
import { assistantService } from './service.ts';

type Imports = Parameters<typeof importService>[0];
type Dependencies = {
  database: OpenDatabase;
  provider: Pick<Provider, 'assistants'>;
  catalogue: Catalogue;
  keys: ProviderKeyService;
  models: Pick<ModelService, 'usable'>;
  knowledge: Pick<KnowledgeService, 'list' | 'add' | 'remove' | 'retry'>;
  storesNamed: Imports['storesNamed'];
  filesNamed: Imports['filesNamed'];
};

/** The assistants of each user, and how they come in. */
export function assistantFeature({
  database,
  provider,
  catalogue,
  keys,
  models,
  knowledge,
  storesNamed,
  filesNamed,
}: Dependencies) {
  const { db } = database;
  const assistants = assistantService({ database, models });
  const imports = importService({ db, provider, keys, models, catalogue, storesNamed, filesNamed });
  const { find, labels } = assistantRepository(db);

  return {
    routes: (router: Router) => assistantRoutes(router, { assistants, imports, knowledge }),
    exportParts: [assistantExport(database)],
    forPrograms: programAssistants({ db, models }),
    find,
    labels,
    owns: async (userId: number, id: number) => (await find(userId, id)) !== undefined,
  };
}
