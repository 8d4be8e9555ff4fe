import { trainingFiles as api } from '@roster/contracts/fine-tuning/training-files';
import type { FastifyReply } from 'fastify';
import type { Router } from '#server/http/app-router/router';
import { settlesWithin } from '#server/lib/with-timeout';
import type { TrainingFileService } from './service.ts';

/** Time to write a refusal, and to undo what was started in the store. */
const answeredWithinMs = 5_000;

export function trainingFileRoutes({ route }: Router, trainingFiles: TrainingFileService) {
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
