import { Readable } from 'node:stream';
import { fineTuning as api } from '@roster/contracts/fine-tuning/jobs';
import type { BaseModels } from '#server/features/fine-tuning/models/base-models';
import type { TrainingPlaces } from '#server/features/fine-tuning/models/training-places';
import type { TunedModels } from '#server/features/fine-tuning/models/tuned-models';
import type { ProgressRepository } from '#server/features/fine-tuning/shared/progress-repository';
import type { Router } from '#server/http/app-router/router';
import { setNextLink, toPage } from '#server/http/paging';
import { throwProviderFailure } from '#server/http/provider-failure';
import { AppError } from '#server/lib/errors';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { ProviderFineTuning } from '#server/provider/resources/fine-tuning';
import type { Actor } from '#server/security/actor';
import type { JobService } from './service.ts';

const isTable = (bytes: Buffer) => /^(\xEF\xBB\xBF)?"?step/i.test(bytes.toString('latin1'));
const isBase64 = (bytes: Buffer) => /^[A-Za-z0-9+/=\s]+$/.test(bytes.toString('latin1'));
const enoughToKnow = 16;

/** The provider's table of metrics, decoded where a provider sends it as Base64. */
async function* resultTable(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = content[Symbol.asyncIterator]();
  let beginning: Buffer = Buffer.alloc(0);
  while (beginning.length < enoughToKnow) {
    const next = await chunks.next();
    if (next.done) break;
    beginning = Buffer.concat([beginning, next.value]);
  }
  async function* whole() {
    yield beginning;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  yield* isTable(beginning) || !isBase64(beginning) ? whole() : decoded(whole());
}

async function* decoded(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = '';
  for await (const chunk of content) {
    const letters = rest + chunk.toString('latin1').replace(/\s/g, '');
    const whole = letters.length - (letters.length % 4);
    yield Buffer.from(letters.slice(0, whole), 'base64');
    rest = letters.slice(whole);
  }
  yield Buffer.from(rest, 'base64');
}

/** Enough for a training of a hundred thousand steps. */
const resultLimit = 16 * 1024 * 1024;

type Dependencies = {
  jobs: JobService;
  progress: ProgressRepository;
  models: TunedModels;
  bases: BaseModels;
  places: TrainingPlaces;
  importJobs: (actor: Actor) => Promise<{ imported: number; known: number }>;
  provider: ProviderFineTuning;
  keys: Pick<ProviderKeyService, 'open'>;
};

/** No screen can show more points than this. */
const maxPoints = 2_000;

export function fineTuningRoutes({ route, rawRoute }: Router, dependencies: Dependencies) {
  const { jobs, progress, models, bases, places, importJobs, provider, keys } = dependencies;

  route(api.baseModels, async ({ actor }) => {
    const found = await bases.list(actor.userId);
    // Without a connection that trains, the key of the installation's provider is missing.
    if (Object.keys(found).length === 0) await keys.open(actor.userId);
    return found;
  });
  route(api.places, async ({ actor }) => ({ items: await places.list(actor.userId) }));
  route(api.jobs, async ({ actor, query, reply }) => {
    const { items, nextCursor } = await jobs.list(actor.userId, query);
    setNextLink(reply, api.jobs.path, query, nextCursor);
    return items;
  });
  route(api.job, ({ actor, params }) => jobs.shown(actor.userId, params.id));
  route(api.createJob, ({ actor, body }) => jobs.create(actor, body));
  route(api.importJobs, ({ actor }) => importJobs(actor));
  route(api.cancelJob, ({ actor, params }) => jobs.cancel(actor.userId, params.id));
  route(api.pauseJob, ({ actor, params }) => jobs.pause(actor.userId, params.id));
  route(api.resumeJob, ({ actor, params }) => jobs.resume(actor.userId, params.id));
  route(api.events, async ({ actor, params, query }) => {
    await jobs.found(actor.userId, params.id);
    const rows = await progress.events(actor.userId, params.id, query.limit + 1, query.cursor);
    return toPage(rows, query.limit, ({ id }) => String(id));
  });
  route(api.metrics, async ({ actor, params }) => {
    await jobs.found(actor.userId, params.id);
    return progress.metrics(actor.userId, params.id, maxPoints);
  });
  route(api.checkpoints, async ({ actor, params }) => {
    await jobs.found(actor.userId, params.id);
    return progress.checkpoints(actor.userId, params.id);
  });
  route(api.activateCheckpoint, async ({ actor, params }) =>
    models.activateCheckpoint(actor.userId, await jobs.found(actor.userId, params.id), params.checkpointId),
  );
  rawRoute(api.resultFile, async ({ actor, params, reply }) => {
    const { id, resultFileId, baseModel } = await jobs.found(actor.userId, params.id);
    if (resultFileId === null) throw new AppError('not_found', 'This job has no result file.');
    const apiKey = await keys.open(actor.userId, baseModel);
    const content = await provider.content(apiKey, resultFileId, resultLimit).catch(throwProviderFailure);
    return reply
      .headers({
        'content-disposition': `attachment; filename="training-${id}-metrics.csv"`,
        'content-security-policy': "sandbox; default-src 'none'",
      })
      .type('text/csv')
      .send(Readable.from(resultTable(content), { objectMode: false }));
  });
  route(api.customModels, async ({ actor, query, reply }) => {
    const { items, nextCursor } = await models.list(actor.userId, query.limit, query.cursor);
    setNextLink(reply, api.customModels.path, query, nextCursor);
    return items;
  });
  route(api.updateCustomModel, ({ actor, params, body }) => models.setActive(actor.userId, params.id, body.isActive));
  route(api.removeCustomModel, ({ actor, params }) => models.remove(actor.userId, params.id));
}
