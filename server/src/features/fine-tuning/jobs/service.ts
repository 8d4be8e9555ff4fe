import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type fineTuning as api, isFinalJob, type Job, type JobDraft } from '@roster/contracts/fine-tuning/jobs';
import { connectionIdOf, modelIdOf } from '@roster/contracts/models/model-reference';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Database } from '#server/db/schema';
import type { CheckFiles } from '#server/features/fine-tuning/files/check/accepted';
import type { JobFileOfNew, JobRecord, NewJob } from '#server/features/fine-tuning/shared/rows';
import { toPage } from '#server/http/paging';
import { throwProviderFailure } from '#server/http/provider-failure';
import { AppError } from '#server/lib/errors';
import { settlesWithin } from '#server/lib/with-timeout';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { ProviderFineTuning } from '#server/provider/resources/fine-tuning';
import { ProviderError } from '#server/provider/transport/error';
import type { Actor } from '#server/security/actor';
import type { JobMessages } from './messages.ts';
import type { Poller } from './poll.ts';
import { type FineTuningJobRepository, fineTuningJobRepository } from './repository.ts';
import type { TrainingFiles } from './submit.ts';

type Dependencies = {
  db: Kysely<Database>;
  provider: ProviderFineTuning;
  keys: Pick<ProviderKeyService, 'open'>;
  files: TrainingFiles;
  /** Throws, with a message for the user, if the files cannot be used for training. */
  checkFiles: CheckFiles;
  poller: Poller;
  /** True also while it is unknown which models can be trained. */
  isTrainable: (userId: number, model: string) => Promise<boolean>;
  words: JobMessages;
  log: FastifyBaseLogger;
};

/** Identical requests at the same time get the same answer, and the provider is asked once. */
function oncePerJob() {
  const inProgress = new Map<string, Promise<Job>>();
  return (action: string, userId: number, id: number, act: () => Promise<Job>): Promise<Job> => {
    const name = `${action} ${userId} ${id}`;
    const pending = inProgress.get(name);
    if (pending) return pending;
    const answer = act().finally(() => inProgress.delete(name));
    inProgress.set(name, answer);
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

type Client = NonNullable<NewJob['client']>;
type ChosenFiles = { training: JobFileOfNew; validation: JobFileOfNew | null };

const noFile = () => new AppError('not_found', 'File not found.');
const refused = (field: string, message: string) =>
  new AppError('invalid_input', message, { fields: { [field]: message } });

/** A canonical form of the request, independent of the order of its fields. */
const digestOf = ({ hyperparameters = {}, ...draft }: Omit<JobDraft, 'clientId'>): string =>
  createHash('sha256')
    .update(JSON.stringify([Object.entries(draft).sort(), Object.entries(hyperparameters).sort()]))
    .digest('base64url');

/** The job that was created with this client id before. @throws conflict if that request was a different one */
async function earlier(
  jobs: Pick<FineTuningJobRepository, 'madeWith'>,
  userId: number,
  client: Client | undefined,
): Promise<number | undefined> {
  const existing = client && (await jobs.madeWith(userId, client.id));
  if (existing && existing.digest !== client.digest)
    throw new AppError(
      'conflict',
      'This clientId already belongs to another job, so nothing was saved. Send the request again with a new clientId.',
    );
  return existing?.id;
}

async function trainingFile(
  files: TrainingFiles,
  userId: number,
  id: number,
  field: 'trainingFileId' | 'validationFileId',
): Promise<JobFileOfNew> {
  const file = await files.find(userId, id);
  if (!file) throw noFile();
  const what = field === 'trainingFileId' ? 'training file' : 'validation file';
  if (!/\.jsonl$/i.test(file.filename))
    throw refused(field, `The ${what} must be JSONL, with a name that ends in .jsonl.`);
  return { id, filename: file.filename };
}

async function chosenFiles(
  files: TrainingFiles,
  userId: number,
  { trainingFileId, validationFileId }: Pick<JobDraft, 'trainingFileId' | 'validationFileId'>,
): Promise<ChosenFiles> {
  const training = await trainingFile(files, userId, trainingFileId, 'trainingFileId');
  const validation =
    validationFileId === null ? null : await trainingFile(files, userId, validationFileId, 'validationFileId');
  if (validation?.id === training.id)
    throw refused('validationFileId', 'Choose a validation file other than the training file.');
  return { training, validation };
}

async function checkModel(isTrainable: Dependencies['isTrainable'], userId: number, model: string) {
  if (!(await isTrainable(userId, model)))
    throw refused('baseModel', `Model ${modelIdOf(model)} is not among the models your API key can use`);
}

/** Stores the job in one transaction with the poll that submits it. Returns its id, or that of an earlier one. */
const store = ({ db, files, poller }: Dependencies, { userId, recheckAccess }: Actor, job: NewJob): Promise<number> =>
  db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    const jobs = fineTuningJobRepository(trx);
    if (!(await jobs.lock(userId))) throw new AppError('not_signed_in', 'Please sign in.');
    const existing = await earlier(jobs, userId, job.client);
    if (existing !== undefined) return existing;
    const id = await jobs.insert(userId, job);
    if (id === undefined) throw noFile();
    // The provider of a connection gets them with the job.
    for (const file of [job.trainingFile, job.validationFile])
      if (file?.id && connectionIdOf(job.baseModel) === null)
        await files.copies.ensure(trx, userId, file.id, 'fine-tune');
    await poller.schedule(trx, userId, id);
    return id;
  });

/** Checks a request and stores it. Returns the id of the job. */
async function createJob(dependencies: Dependencies, actor: Actor, { clientId, ...draft }: JobDraft): Promise<number> {
  const { db, keys, files, checkFiles, isTrainable } = dependencies;
  const { userId } = actor;
  const client = clientId === undefined ? undefined : { id: clientId, digest: digestOf(draft) };
  const existing = await earlier(fineTuningJobRepository(db), userId, client);
  if (existing !== undefined) return existing;
  const { training, validation } = await chosenFiles(files, userId, draft);
  const { name, baseModel, method, hyperparameters = {} } = draft;
  if (method === 'supervised' && hyperparameters.beta !== undefined)
    throw refused('hyperparameters.beta', 'Beta applies to preference training only.');
  await keys.open(userId, baseModel);
  await checkModel(isTrainable, userId, baseModel);
  await checkFiles(userId, draft);
  const token = randomUUID();
  const job = { name, baseModel, method, hyperparameters, trainingFile: training, validationFile: validation, token };
  return store(dependencies, actor, { ...job, client });
}

/** How long a cancel, pause or resume waits for the provider's response. */
const patienceMs = 5_000;
const pollDelayMs = 100;

const notFound = () => new AppError('not_found', 'Fine-tuning job not found.');

/** A job as its user sees it. */
async function showJob(db: Kysely<Database>, userId: number, id: number): Promise<Job> {
  const job = await fineTuningJobRepository(db).show(userId, id);
  if (!job) throw notFound();
  return job;
}

async function findJob(db: Kysely<Database>, userId: number, id: number): Promise<JobRecord> {
  const job = await fineTuningJobRepository(db).find(userId, id);
  if (!job) throw notFound();
  return job;
}

/** Waits a moment for a poll; a slower one continues in the background. */
async function pollNow(
  { poller, log }: Dependencies,
  userId: number,
  id: number,
  prepare?: (trx: Kysely<Database>) => Promise<boolean>,
) {
  const poll = poller.pollNow(userId, id, prepare);
  if (await settlesWithin(patienceMs, poll)) return;
  // Nobody waits for it any more; the stored background job polls again.
  poll.catch((error: unknown) =>
    log.warn({ err: error, fineTuningJobId: id }, 'polling a fine-tuning job failed in the background'),
  );
}

/** The cancellation was requested before, perhaps in another process: waits a moment for its result. */
async function cancellation({ db }: Dependencies, userId: number, id: number): Promise<void> {
  const { followNumber } = await findJob(db, userId, id);
  for (let look = 0; look < patienceMs / pollDelayMs; look++) {
    const job = await findJob(db, userId, id);
    if (isFinalJob(job.status) || !job.cancelRequested || job.followNumber !== followNumber) return;
    await wait(pollDelayMs);
  }
}

/** A job that has ended stays unchanged; one that the provider does not have yet ends here. */
async function cancelJob(dependencies: Dependencies, userId: number, id: number): Promise<Job> {
  const { db, keys, words } = dependencies;
  const job = await findJob(db, userId, id);
  if (isFinalJob(job.status) || (await fineTuningJobRepository(db).cancelUnsent(userId, id)))
    return showJob(db, userId, id);
  await keys.open(userId, job.baseModel);
  let isFirst = false;
  await pollNow(dependencies, userId, id, async (trx) => {
    isFirst = await fineTuningJobRepository(trx).requestCancel(userId, id);
    return isFirst;
  });
  if (!isFirst) await cancellation(dependencies, userId, id);
  const after = await showJob(db, userId, id);
  if (!isFinalJob(after.status) && !after.cancelling)
    throw new AppError('provider_failed', after.notice ?? words.cancelRefused(''));
  return after;
}

const changes = {
  pause: { from: 'running', refusal: 'Only a running job can be paused.' },
  resume: { from: 'paused', refusal: 'Only a paused job can be resumed.' },
} as const;

/** Pauses or resumes a job, which must be in the right state for it. */
async function changeJob(
  dependencies: Dependencies,
  userId: number,
  id: number,
  action: keyof typeof changes,
): Promise<Job> {
  const { db, provider, keys } = dependencies;
  const { from, refusal } = changes[action];
  const job = await findJob(db, userId, id);
  const conflict = (cause?: unknown) => new AppError('conflict', refusal, { cause });
  if (job.status !== from || job.providerJobId === null) throw conflict();
  const apiKey = await keys.open(userId, job.baseModel);
  try {
    await provider[action](apiKey, job.providerJobId);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    // Its state may have changed meanwhile: show the provider's, if it responds.
    if (error.status !== undefined) await pollNow(dependencies, userId, id);
    if (error.status === 400 && (await findJob(db, userId, id)).status !== from) throw conflict(error);
    throwProviderFailure(error);
  }
  await pollNow(dependencies, userId, id);
  return showJob(db, userId, id);
}
