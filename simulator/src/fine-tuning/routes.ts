import type { FastifyInstance } from 'fastify';
import { invalidRequest, notFound } from '../http/errors.ts';
import { isObject } from '../http/fields.ts';
import { page, pageQuery } from '../http/paging.ts';
import type { Account, JobRecord } from '../state/account.ts';
import type { World } from '../world.ts';
import { createJob } from './create.ts';
import { phaseOf } from './timeline.ts';
import { checkpointsOf, eventsOf, jobView } from './views.ts';

type ById = { Params: { id: string } };

function jobOf(account: Account, id: string): JobRecord {
  const job = account.jobs.find((candidate) => candidate.id === id);
  if (job === undefined) throw notFound(`Could not find fine tune: ${id}`, 'fine_tune_id');
  return job;
}

/** `?metadata[name]=value`, any number of them. */
function hasMetadata(job: JobRecord, query: unknown): boolean {
  return Object.entries(isObject(query) ? query : {}).every(([name, value]) => {
    const key = /^metadata\[(.+)\]$/.exec(name)?.[1];
    return key === undefined || job.metadata[key] === value;
  });
}

export function fineTuningRoutes(app: FastifyInstance, world: World): void {
  const { accounts, clock, settings } = world;
  const view = (job: JobRecord) => jobView(job, clock.now(), settings.jobStepMs);
  const phase = (job: JobRecord) => phaseOf(job, clock.now(), settings.jobStepMs);

  app.post('/fine_tuning/jobs', async ({ call, body }) => {
    const job = await createJob(world, call.account, body);
    call.account.jobs.push(job);
    await accounts.save(call.account);
    return view(job);
  });

  app.get('/fine_tuning/jobs', ({ call, query }) => {
    const jobs = call.account.jobs.filter((job) => hasMetadata(job, query)).map(view);
    return page(jobs, pageQuery(query, { usual: 20, most: 100 }));
  });

  app.get<ById>('/fine_tuning/jobs/:id', ({ call, params }) => view(jobOf(call.account, params.id)));

  app.post<ById>('/fine_tuning/jobs/:id/cancel', async ({ call, params }) => {
    const job = jobOf(call.account, params.id);
    const now = phase(job);
    if (now === 'succeeded' || now === 'failed' || now === 'cancelled') {
      throw invalidRequest(`Job has already completed: ${job.id} is ${now}.`);
    }
    job.cancelledMs = job.pausedMs ?? clock.now();
    job.pausedMs = null;
    await accounts.save(call.account);
    return view(job);
  });

  app.post<ById>('/fine_tuning/jobs/:id/pause', async ({ call, params }) => {
    const job = jobOf(call.account, params.id);
    const now = phase(job);
    if (now !== 'running') throw invalidRequest(`Only running jobs can be paused: ${job.id} is ${now}.`);
    job.pausedMs = clock.now();
    await accounts.save(call.account);
    return view(job);
  });

  app.post<ById>('/fine_tuning/jobs/:id/resume', async ({ call, params }) => {
    const job = jobOf(call.account, params.id);
    if (job.pausedMs === null) {
      throw invalidRequest(`Only paused jobs can be resumed: ${job.id} is ${phase(job)}.`);
    }
    job.restedMs += clock.now() - job.pausedMs;
    job.pausedMs = null;
    await accounts.save(call.account);
    return view(job);
  });

  app.get<ById>('/fine_tuning/jobs/:id/events', ({ call, params, query }) => {
    const events = eventsOf(jobOf(call.account, params.id), clock.now(), settings.jobStepMs);
    return page(events, pageQuery(query, { usual: 20, most: 100 }));
  });

  app.get<ById>('/fine_tuning/jobs/:id/checkpoints', ({ call, params, query }) => {
    const checkpoints = checkpointsOf(jobOf(call.account, params.id), clock.now(), settings.jobStepMs);
    return page(checkpoints, pageQuery(query, { usual: 10, most: 100 }));
  });
}
