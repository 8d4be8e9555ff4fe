import { trainingFiles as api } from '@roster/contracts/fine-tuning/training-files';
import type { FastifyReply } from 'fastify';
import type { Router } from '../../../http/router.ts';
import type { TrainingFileService } from './service.ts';

/** Whoever asked is gone. */
function leaving(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new Error('The connection was closed'));
  });
  return controller.signal;
}

export function trainingFileRoutes({ route }: Router, trainingFiles: TrainingFileService) {
  route(api.validate, ({ actor, body, reply }) => trainingFiles.validate(actor.userId, body, leaving(reply)));
}
