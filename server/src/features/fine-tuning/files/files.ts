import { trainingFiles as api } from '@roster/contracts/fine-tuning/training-files';
import type { FastifyReply } from 'fastify';
import type { Router } from '#server/http/app-router/router';
import { settlesWithin } from '#server/lib/with-timeout';
import { type TrainingFileService, trainingFileService } from './service.ts';
import { createTrainingFileWorker } from './worker-client.ts';

/** Time to write a refusal, and to undo what was started in the store. */
const answeredWithinMs = 5_000;

function trainingFileRoutes({ route }: Router, trainingFiles: TrainingFileService) {
  const unanswered = new Set<Promise<void>>();

  /** Aborts when the client has disconnected. */
  function leaving(reply: FastifyReply): AbortSignal {
    const controller = new AbortController();
    const { promise: isOver, resolve } = Promise.withResolvers<void>();
    unanswered.add(isOver);
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) controller.abort(new Error('The connection was closed'));
      unanswered.delete(isOver);
      resolve();
    });
    return controller.signal;
  }

  route(api.validate, ({ actor, body, reply }) => trainingFiles.validate(actor.userId, body, leaving(reply)));
  route(api.convert, ({ actor, body, reply }) => trainingFiles.convert(actor, body, leaving(reply)));
  route(api.split, ({ actor, body, reply }) => trainingFiles.split(actor, body, leaving(reply)));

  return {
    /** Resolves when everybody has an answer: closing connections does not wait for it. */
    async answered() {
      await settlesWithin(answeredWithinMs, Promise.all(unanswered));
    },
  };
}

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
