import type { OpenDatabase } from '#server/db/connect';
import type { ExportPart } from '#server/features/feature';
import type { ModelService } from '#server/features/models/service';
import type { Router } from '#server/http/app-router/router';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Provider } from '#server/provider/provider';
import { apiAssistants } from './api-assistants.ts';
import { assistantDraftRepository } from './drafts/repository.ts';
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

/** Small pages, because instructions may have 256,000 characters. */
const atOnce = 20;

/** The forms of assistants that were left without saving, in an account export. */
function assistantDraftExport({ reader }: Pick<OpenDatabase, 'reader'>): ExportPart {
  const drafts = assistantDraftRepository(reader);

  async function* lines(userId: number) {
    let after = 0;
    for (;;) {
      const page = await drafts.after(userId, after, atOnce);
      for (const { id: _, ...draft } of page) yield `${JSON.stringify(draft)}\n`;
      const last = page.at(-1);
      if (!last) break;
      after = last.id;
    }
  }

  return {
    description: ['assistant-drafts.jsonl         forms of assistants that were left without saving, one per line'],
    async *entries(userId) {
      yield { name: 'assistant-drafts.jsonl', content: lines(userId) };
    },
  };
}

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
