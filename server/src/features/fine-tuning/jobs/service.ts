import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { isFinalJob, type Job, type JobDraft } from '@roster/contracts/fine-tuning/jobs';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import { endsWithin } from '#server/ends-within';
import { AppError } from '#server/errors';
import type { CheckFiles } from '#server/features/fine-tuning/files/check/accepted';
import type { Actor } from '#server/http/actor';
import { pageOf } from '#server/http/paging';
import { throwProviderFailure } from '#server/http/provider-failure';
import { ProviderError } from '#server/provider/error';
import type { ProviderFineTuning } from '#server/provider/fine-tuning';
import type { Secret } from '#server/security/secret';
import type { Polling } from './poll.ts';
import { type FineTuningJobRepository, fineTuningJobRepository } from './repository.ts';
import type { JobFileOfNew, JobRecord } from './rows.ts';
import type { TrainingFiles } from './submit.ts';
import { jobWords } from './words.ts';

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  provider: ProviderFineTuning;
  providerName: string;
  keys: { open: (userId: number) => Promise<Secret> };
  files: TrainingFiles;
  /** Whether files can be trained with, as the one who chooses them is told. */
  checkFiles: CheckFiles;
  poller: Polling;
  /** null: nobody knows what can be trained. */
  trainable: (userId: number) => Promise<ReadonlySet<string> | null>;
  log: FastifyBaseLogger;
};

/** How long a cancel, pause or resume waits for the provider's response. */
const patienceMs = 5_000;
const betweenLooksMs = 100;

const notFound = () => new AppError('not_found', 'Fine-tuning job not found.');
const noFile = () => new AppError('not_found', 'File not found.');
const refused = (field: string, message: string) =>
  new AppError('invalid_input', message, { fields: { [field]: message } });

type Client = { id: string; digest: string };

/** What is asked for, whatever order its parts were sent in. */
const digestOf = ({ hyperparameters = {}, ...draft }: Omit<JobDraft, 'clientId'>): string =>
  createHash('sha256')
    .update(JSON.stringify([Object.entries(draft).sort(), Object.entries(hyperparameters).sort()]))
    .digest('base64url');

/** The job that was made with this id before. @throws conflict where another one was asked for */
async function earlier(
  jobs: Pick<FineTuningJobRepository, 'madeWith'>,
  userId: number,
  client: Client | undefined,
): Promise<number | undefined> {
  const known = client && (await jobs.madeWith(userId, client.id));
  if (known && known.digest !== client.digest)
    throw new AppError(
      'conflict',
      'Another job was created with this clientId already, so nothing was stored. Send it again with a new one.',
    );
  return known?.id;
}

export function jobService(dependencies: Dependencies) {
  const { database, provider, providerName, keys, files, checkFiles, poller, trainable, log } = dependencies;
  const { db } = database;
  const jobs = fineTuningJobRepository(db);
  const words = jobWords(providerName);

  async function shown(userId: number, id: number): Promise<Job> {
    const job = await jobs.show(userId, id);
    if (!job) throw notFound();
    return job;
  }

  async function found(userId: number, id: number): Promise<JobRecord> {
    const job = await jobs.find(userId, id);
    if (!job) throw notFound();
    return job;
  }

  async function trainingFile(userId: number, id: number, field: string, what: string): Promise<JobFileOfNew> {
    const file = await files.find(userId, id);
    if (!file) throw noFile();
    if (!/\.jsonl$/i.test(file.filename))
      throw refused(field, `The ${what} must be JSONL, with a name that ends in .jsonl.`);
    return { id, filename: file.filename };
  }

  async function checkModel(userId: number, model: string) {
    const known = await trainable(userId);
    if (known && !known.has(model))
      throw refused('baseModel', `Model ${model} is not among the models your API key can use`);
  }

  /** Waits a moment for a poll; what takes longer goes on in the background. */
  async function pollNow(userId: number, id: number, prepare?: (trx: Kysely<Database>) => Promise<boolean>) {
    const poll = poller.pollNow(userId, id, prepare);
    if (await endsWithin(patienceMs, poll)) return;
    // Nobody waits for it any more; the poll that is stored does it again.
    poll.catch((error: unknown) => log.warn({ err: error, fineTuningJobId: id }, 'polling a job failed late'));
  }

  const underWay = new Map<string, Promise<Job>>();

  /** Who asks for the same while it is being done gets the same answer, and the provider is asked once. */
  function once(action: string, userId: number, id: number, act: () => Promise<Job>): Promise<Job> {
    const name = `${action} ${userId} ${id}`;
    const known = underWay.get(name);
    if (known) return known;
    const answer = act().finally(() => underWay.delete(name));
    underWay.set(name, answer);
    return answer;
  }

  /** The cancellation was asked for already, perhaps by another process: waits a moment for its result. */
  async function cancellation(userId: number, id: number): Promise<void> {
    const { followNumber } = await found(userId, id);
    for (let look = 0; look < patienceMs / betweenLooksMs; look++) {
      const job = await found(userId, id);
      if (isFinalJob(job.status) || !job.cancelRequested || job.followNumber !== followNumber) return;
      await wait(betweenLooksMs);
    }
  }

  async function cancel(userId: number, id: number): Promise<Job> {
    const job = await found(userId, id);
    if (isFinalJob(job.status) || (await jobs.cancelUnsent(userId, id))) return shown(userId, id);
    await keys.open(userId);
    let isFirst = false;
    await pollNow(userId, id, async (trx) => {
      isFirst = await fineTuningJobRepository(trx).requestCancel(userId, id);
      return isFirst;
    });
    if (!isFirst) await cancellation(userId, id);
    const after = await shown(userId, id);
    if (!isFinalJob(after.status) && !after.cancelling)
      throw new AppError('provider_failed', after.notice ?? words.cancelRefused(''));
    return after;
  }

  /** Pauses or resumes a job, which must be in the state for it. */
  async function change(userId: number, id: number, action: 'pause' | 'resume', from: Job['status'], inWords: string) {
    const job = await found(userId, id);
    const conflict = (cause?: unknown) => new AppError('conflict', inWords, { cause });
    if (job.status !== from || job.providerJobId === null) throw conflict();
    const apiKey = await keys.open(userId);
    try {
      await provider[action](apiKey, job.providerJobId);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      // It may have gone on meanwhile: what is shown from now on is what the provider says, if it says anything.
      if (error.status !== undefined) await pollNow(userId, id);
      if (error.status === 400 && (await found(userId, id)).status !== from) throw conflict(error);
      throwProviderFailure(error);
    }
    await pollNow(userId, id);
    return shown(userId, id);
  }

  return {
    async list(
      userId: number,
      { limit, cursor, open }: { limit: number; cursor?: number | undefined; open?: boolean | undefined },
    ) {
      const rows = await jobs.page(userId, limit + 1, cursor, open);
      return pageOf(rows, limit, ({ id }) => String(id));
    },

    shown,
    found,

    /** Stores the job with the poll that brings it to the provider. */
    async create({ userId, stillMay }: Actor, { clientId, ...draft }: JobDraft): Promise<Job> {
      const client = clientId === undefined ? undefined : { id: clientId, digest: digestOf(draft) };
      const known = await earlier(jobs, userId, client);
      if (known !== undefined) return shown(userId, known);
      const training = await trainingFile(userId, draft.trainingFileId, 'trainingFileId', 'training file');
      const validation =
        draft.validationFileId === null
          ? null
          : await trainingFile(userId, draft.validationFileId, 'validationFileId', 'validation file');
      if (validation?.id === training.id)
        throw refused('validationFileId', 'The validation file must be another one than the training file.');
      const hyperparameters = draft.hyperparameters ?? {};
      if (draft.method === 'supervised' && hyperparameters.beta !== undefined)
        throw refused('hyperparameters.beta', 'Beta is of preference training only.');
      await keys.open(userId);
      await checkModel(userId, draft.baseModel);
      await checkFiles(userId, draft);
      const id = await db.transaction().execute(async (trx) => {
        await stillMay(trx);
        const inTransaction = fineTuningJobRepository(trx);
        if (!(await inTransaction.hold(userId))) throw new AppError('not_signed_in', 'Please sign in.');
        const other = await earlier(inTransaction, userId, client);
        if (other !== undefined) return other;
        const { name, baseModel, method } = draft;
        const token = randomUUID();
        const job = {
          name,
          baseModel,
          method,
          hyperparameters,
          trainingFile: training,
          validationFile: validation,
          token,
          client,
        };
        const created = await inTransaction.insert(userId, job);
        if (created === undefined) throw noFile();
        for (const file of [training, validation])
          if (file?.id) await files.copies.ensure(trx, userId, file.id, 'fine-tune');
        await poller.schedule(trx, userId, created);
        return created;
      });
      return shown(userId, id);
    },

    cancel: (userId: number, id: number) => once('cancel', userId, id, () => cancel(userId, id)),
    pause: (userId: number, id: number) =>
      once('pause', userId, id, () => change(userId, id, 'pause', 'running', 'Only a running job can be paused.')),
    resume: (userId: number, id: number) =>
      once('resume', userId, id, () => change(userId, id, 'resume', 'paused', 'Only a paused job can be resumed.')),
  };
}

export type JobService = ReturnType<typeof jobService>;
