import { comparisons as api } from '@roster/contracts/fine-tuning/comparisons';
import type { OpenDatabase } from '#server/db/connect';
import type { SideQuestionService } from '#server/features/chat/side-questions/service';
import type { FileRepository } from '#server/features/files/repository';
import type { Router } from '#server/http/router';
import type { FileStore } from '#server/storage/file-store';
import { comparisonExport } from './export-part.ts';
import { comparisonService } from './service.ts';

type Dependencies = {
  database: OpenDatabase;
  sideQuestions: SideQuestionService;
  files: Pick<FileRepository, 'stored'>;
  store: Pick<FileStore, 'read'>;
};

/** Joins the parts of the comparisons of models. */
export function createComparisons({ database, sideQuestions, files, store }: Dependencies) {
  const comparisons = comparisonService({ database, sideQuestions, files, store });
  return {
    routes({ route }: Router) {
      route(api.list, ({ actor, query }) => comparisons.list(actor.userId, query));
      route(api.create, ({ actor, body }) => comparisons.create(actor, body));
      route(api.comparison, ({ actor, params }) => comparisons.find(actor.userId, params.id));
      route(api.ask, ({ actor, params, body }) => comparisons.ask(actor.userId, params, body));
      route(api.vote, ({ actor, params, body }) => comparisons.vote(actor.userId, params, body.vote));
      route(api.remove, ({ actor, params }) => comparisons.remove(actor.userId, params.id));
    },
    exportPart: comparisonExport(database, sideQuestions.exportedAnswers),
  };
}
