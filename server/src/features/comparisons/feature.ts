import { comparisons as api } from '@roster/contracts/comparisons/comparisons';
import { draftComparisons as ofDrafts } from '@roster/contracts/comparisons/drafts';
import { comparisonJudging } from '@roster/contracts/comparisons/judging';
import { replays as replayApi } from '@roster/contracts/comparisons/replays';
import { testSets as testSetApi } from '@roster/contracts/comparisons/test-sets';
import type { FindPerson } from '#server/conversation/fill-instructions';
import type { OpenDatabase } from '#server/db/connect';
import type { InternalThreadService } from '#server/features/chat/internal-threads/service';
import type { FileRepository } from '#server/features/files/repository';
import type { PricingService } from '#server/features/usage/pricing';
import type { Router } from '#server/http/app-router/router';
import type { RateLimits } from '#server/http/limits/rate-limits';
import type { FileStore } from '#server/storage/file-store';
import { type DraftedAssistants, draftService } from './drafts/service.ts';
import { comparisonExport, testSetExport } from './export-part.ts';
import { judgingService } from './judging/service.ts';
import { replayService } from './replays/service.ts';
import { comparisonService } from './shared/service.ts';
import { createComparisonRunner } from './shared/start.ts';
import { runningService } from './test-sets/run.ts';
import { testSetService } from './test-sets/service.ts';

type Dependencies = Parameters<typeof replayService>[0] &
  Omit<Parameters<typeof testSetService>[0], 'database' | 'internalThreads' | 'assistants'> & {
    database: OpenDatabase;
    internalThreads: InternalThreadService;
    pricing: Pick<PricingService, 'price'>;
    rates: Pick<RateLimits, 'use' | 'giveBack'>;
    personOf: FindPerson;
    files: Pick<FileRepository, 'stored'>;
    store: Pick<FileStore, 'read'>;
    assistants: DraftedAssistants;
  };

/** The same prompts for two sides, with their answers next to each other. */
export function comparisonFeature(dependencies: Dependencies) {
  const { database, internalThreads } = dependencies;
  const replays = replayService(dependencies);
  const comparisons = comparisonService(dependencies);
  const judgings = judgingService(dependencies);
  const started = createComparisonRunner({ ...dependencies, afterStart: judgings.follow });
  const testSets = testSetService(dependencies);
  const drafts = draftService(dependencies.database.db, dependencies.assistants);
  return {
    routes({ route }: Router) {
      route(api.list, ({ actor, query }) => comparisons.list(actor.userId, query));
      route(api.create, ({ actor, body }) => comparisons.createOfModels(actor, body));
      route(api.comparison, ({ actor, params }) => comparisons.find(actor.userId, params.id));
      route(api.estimate, ({ actor, params }) => comparisons.estimate(actor.userId, params.id));
      route(api.start, ({ actor, params, body }) => started.start(actor, params.id, body));
      route(api.stop, ({ actor, params }) => started.stop(actor.userId, params.id));
      route(api.ask, ({ actor, params, body }) => comparisons.ask(actor.userId, params, body));
      route(api.vote, ({ actor, params, body }) => comparisons.vote(actor.userId, params, body.vote));
      route(ofDrafts.questions, ({ actor, params }) => drafts.questions(actor.userId, params.id));
      route(ofDrafts.create, ({ actor, params, body }) => drafts.create(actor, params.id, body));
      route(ofDrafts.draft, ({ actor, params }) => drafts.find(actor.userId, params.id));
      route(ofDrafts.save, ({ actor, params }) => drafts.save(actor, params.id));
      route(api.remove, ({ actor, params }) => comparisons.remove(actor.userId, params.id));
      judgingRoutes(route, judgings);
      route(replayApi.questions, ({ actor, params, query }) => replays.questions(actor.userId, params.id, query));
      route(replayApi.create, ({ actor, params, body }) => replays.create(actor, params.id, body));
      testSetRoutes(route, testSets, runningService(dependencies));
    },
    jobs: [...started.jobs, ...judgings.jobs, ...testSets.jobs],
    upkeep: testSets.upkeep,
    exportParts: [comparisonExport(database, internalThreads.exportedAnswers), testSetExport(database)],
  };
}

function testSetRoutes(
  route: Router['route'],
  sets: ReturnType<typeof testSetService>,
  running: ReturnType<typeof runningService>,
) {
  route(testSetApi.list, ({ actor, params }) => sets.list(actor.userId, params.id));
  route(testSetApi.create, ({ actor, params, body }) => sets.create(actor, params.id, body));
  route(testSetApi.set, ({ actor, params }) => sets.find(actor.userId, params.id));
  route(testSetApi.update, ({ actor, params, body }) => sets.update(actor, params.id, body));
  route(testSetApi.remove, ({ actor, params }) => sets.remove(actor.userId, params.id));
  route(testSetApi.runs, ({ actor, params, query }) => running.runs(actor.userId, params.id, query));
  route(testSetApi.estimate, ({ actor, params, body }) => running.estimate(actor.userId, params.id, body));
  route(testSetApi.run, ({ actor, params, body }) => running.run(actor, params.id, body));
  route(testSetApi.results, ({ actor, params }) => running.results(actor.userId, params.id));
}

function judgingRoutes(route: Router['route'], judgings: ReturnType<typeof judgingService>) {
  const judging = comparisonJudging;
  route(judging.list, ({ actor, params }) => judgings.list(actor.userId, params.id));
  route(judging.judging, ({ actor, params }) => judgings.find(actor.userId, params));
  route(judging.estimate, ({ actor, params, body }) => judgings.estimate(actor.userId, params.id, body));
  route(judging.create, ({ actor, params, body }) => judgings.create(actor, params.id, body));
  route(judging.start, ({ actor, params, body }) => judgings.start(actor, params, body));
  route(judging.stop, ({ actor, params }) => judgings.stop(actor.userId, params));
  route(judging.remove, ({ actor, params }) => judgings.remove(actor.userId, params));
}
