import type { Router } from '../../../http/router.ts';
import { trainingFileRoutes } from './routes.ts';
import { type Dependencies, trainingFileService } from './service.ts';
import { trainingFileThread } from './thread.ts';

/** Joins the parts of checking, converting and dividing training files. */
export function createTrainingFiles(dependencies: Omit<Dependencies, 'thread'>) {
  const thread = trainingFileThread();
  const service = trainingFileService({ ...dependencies, thread });
  return {
    routes: (router: Router) => trainingFileRoutes(router, service),
    close: async () => {
      await thread.close();
    },
  };
}
