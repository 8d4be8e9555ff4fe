import type { fineTuning as api, Job, JobDraft } from '@roster/contracts/fine-tuning/jobs';
import type { z } from 'zod';
import { toPage } from '#server/http/paging';
import type { Actor } from '#server/security/actor';
import { cancelJob, changeJob, findJob, showJob } from './change.ts';
import { createJob } from './create.ts';
import { fineTuningJobRepository } from './repository.ts';

type Dependencies = Parameters<typeof createJob>[0] & Parameters<typeof cancelJob>[0];

/** Identical requests at the same time get the same answer, and the provider is asked once. */
function oncePerJob() {
  const underWay = new Map<string, Promise<Job>>();
  return (action: string, userId: number, id: number, act: () => Promise<Job>): Promise<Job> => {
    const name = `${action} ${userId} ${id}`;
    const pending = underWay.get(name);
    if (pending) return pending;
    const answer = act().finally(() => underWay.delete(name));
    underWay.set(name, answer);
    return answer;
  };
}

export function jobService(dependencies: Dependencies) {
  const { db } = dependencies;
  const once = oncePerJob();

  return {
    async list(userId: number, { limit, cursor, open }: z.output<typeof api.jobs.query>) {
      const rows = await fineTuningJobRepository(db).page(userId, limit + 1, cursor, open);
      return toPage(rows, limit, ({ id }) => String(id));
    },

    shown: (userId: number, id: number) => showJob(db, userId, id),
    found: (userId: number, id: number) => findJob(db, userId, id),

    async create(actor: Actor, draft: JobDraft): Promise<Job> {
      return showJob(db, actor.userId, await createJob(dependencies, actor, draft));
    },

    cancel: (userId: number, id: number) => once('cancel', userId, id, () => cancelJob(dependencies, userId, id)),
    pause: (userId: number, id: number) =>
      once('pause', userId, id, () => changeJob(dependencies, userId, id, 'pause')),
    resume: (userId: number, id: number) =>
      once('resume', userId, id, () => changeJob(dependencies, userId, id, 'resume')),
  };
}

export type JobService = ReturnType<typeof jobService>;
