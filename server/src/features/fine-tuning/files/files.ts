import type { Router } from '#server/http/app-router/router';
import { trainingFileRoutes } from './routes.ts';
import { trainingFileService } from './service.ts';
import { createTrainingFileWorker } from './worker-client.ts';

/** Joins the parts of checking, converting and dividing training files. */
export function createTrainingFiles(dependencies: Omit<Parameters<typeof trainingFileService>[0], 'thread'>) {
  const thread = createTrainingFileWorker();
  const service = trainingFileService({ ...dependencies, thread });
  let answered = () => Promise.resolve();
  return {
    checkFiles: service.checkFiles,
    routes(router: Router) {
      ({ answered } = trainingFileRoutes(router, service));
    },
    /** Refuses and ends all reading, and waits until callers know. */
    async close() {
      await thread.close();
      await answered();
    },
  };
}
