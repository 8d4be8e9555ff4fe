import { createHash, randomUUID } from 'node:crypto';
import type { JobDraft } from '@roster/contracts/fine-tuning/jobs';
import { connectionIdOf, modelIdOf } from '@roster/contracts/models/model-reference';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { CheckFiles } from '#server/features/fine-tuning/files/check/accepted';
import type { JobFileOfNew, NewJob } from '#server/features/fine-tuning/shared/rows';
import { AppError } from '#server/lib/errors';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Actor } from '#server/security/actor';
import type { Poller } from './poll.ts';
import { type FineTuningJobRepository, fineTuningJobRepository } from './repository.ts';
import type { TrainingFiles } from './submit.ts';

type Dependencies = {
  db: Kysely<Database>;
  keys: Pick<ProviderKeyService, 'open'>;
  files: TrainingFiles;
  /** Throws, with a message for the user, if the files cannot be used for training. */
  checkFiles: CheckFiles;
  poller: Poller;
  /** True also while it is unknown which models can be trained. */
  isTrainable: (userId: number, model: string) => Promise<boolean>;
};

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
const store = ({ db, files, poller }: Dependencies, { userId, stillMay }: Actor, job: NewJob): Promise<number> =>
  db.transaction().execute(async (trx) => {
    await stillMay(trx);
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
export async function createJob(
  dependencies: Dependencies,
  actor: Actor,
  { clientId, ...draft }: JobDraft,
): Promise<number> {
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
