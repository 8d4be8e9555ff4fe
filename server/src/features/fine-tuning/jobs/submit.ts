import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { JobRecord } from '#server/features/fine-tuning/shared/rows';
import { ConnectionKey } from '#server/provider/connections/connection-key';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { ProviderFineTuning } from '#server/provider/resources/fine-tuning';
import type { ProviderJob } from '#server/provider/resources/fine-tuning-answers';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import type { JobMessages } from './messages.ts';
import { fineTuningJobRepository } from './repository.ts';
import { type PollResult, toJobState } from './states.ts';

/** Functions of the files feature that fine-tuning needs. */
export type TrainingFiles = {
  /** Resolves to undefined if there is no such file, or it is another user's. */
  find: (userId: number, id: number) => Promise<{ filename: string } | undefined>;
  copies: {
    /** In a transaction: makes sure that there will be a copy for this purpose at the provider. */
    ensure: (trx: Kysely<Database>, userId: number, id: number, purpose: 'fine-tune') => Promise<void>;
    /** Resolves to undefined if the file was deleted. */
    find: (
      userId: number,
      id: number,
      purpose: 'fine-tune',
    ) => Promise<{ state: string; providerFileId: string | null; error: string | null } | undefined>;
    /** Checks that the copies are in the account of this key; others are forwarded again. */
    check: (userId: number) => Promise<void>;
    /** The copy at the provider of a connection, sent first if necessary; undefined: the file was deleted. */
    forwardTo: (key: ConnectionKey, userId: number, id: number, purpose: 'fine-tune') => Promise<string | undefined>;
    /** true: copies are missing there, and are sent again. */
    checkAt: (key: ConnectionKey, userId: number) => Promise<boolean>;
  };
};

type Dependencies = {
  db: Kysely<Database>;
  copies: TrainingFiles['copies'];
  provider: ProviderFineTuning;
  keys: Pick<ProviderKeyService, 'noteRejected'>;
  words: JobMessages;
};

/** How long a job whose creation got no response may still appear in the provider's list. */
const settlingMs = 60_000;
/** The provider allows 64 characters; the whole name of the model must stay readable. */
const suffixLimit = 40;
const tokenName = 'roster_job';

/** Letters and digits of a name, joined by hyphens: the characters allowed in a model's name. */
function modelSuffix(name: string): string | null {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, suffixLimit)
    .replace(/^-|-$/g, '');
  return plain || null;
}

export const jobTokenOf = ({ metadata }: { metadata: Record<string, unknown> }): string | undefined => {
  const token = metadata[tokenName];
  return typeof token === 'string' ? token : undefined;
};

const failed = (notice: string, errorCode: string | null = null): PollResult => ({
  changes: { status: 'failed', notice, errorCode, sentAt: null, finishedAt: new Date().toISOString() },
  again: 'never',
});
const cancelled = (): PollResult => ({
  changes: { status: 'cancelled', notice: null, finishedAt: new Date().toISOString() },
  again: 'never',
});

type JobFiles = { training: string; validation: string | null };

const namedFiles = (job: JobRecord) => [
  { id: job.trainingFileId, filename: job.trainingFilename },
  ...(job.validationFilename === null ? [] : [{ id: job.validationFileId, filename: job.validationFilename }]),
];

/** Sends the files to the provider of a connection; its refusal ends the job. */
async function filesAt(
  { copies, words }: Dependencies,
  job: JobRecord,
  key: ConnectionKey,
): Promise<JobFiles | PollResult> {
  const ids: string[] = [];
  for (const { id, filename } of namedFiles(job))
    try {
      const sent = id === null ? undefined : await copies.forwardTo(key, job.userId, id, 'fine-tune');
      if (sent === undefined) return failed(words.fileDeleted(filename));
      ids.push(sent);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.isTransient || error.code === 'key_rejected') throw error;
      return failed(words.fileNotTaken(filename, error.message));
    }
  const [training = '', validation = null] = ids;
  return { training, validation };
}

/** Provider ids of the job's files, or the reason why it cannot be submitted yet. */
async function filesOf(dependencies: Dependencies, job: JobRecord, apiKey: Secret): Promise<JobFiles | PollResult> {
  if (apiKey instanceof ConnectionKey) return filesAt(dependencies, job, apiKey);
  const { copies, words } = dependencies;
  const ids: string[] = [];
  for (const { id, filename } of namedFiles(job)) {
    const copy = id === null ? undefined : await copies.find(job.userId, id, 'fine-tune');
    if (!copy) return failed(words.fileDeleted(filename));
    if (copy.state === 'failed' || copy.state === 'not_served') return failed(words.fileNotTaken(filename, copy.error));
    if (copy.state !== 'ready' || copy.providerFileId === null)
      return { changes: { notice: words.waitingForFile(filename, copy.error) }, again: 'soon' };
    ids.push(copy.providerFileId);
  }
  const [training = '', validation = null] = ids;
  return { training, validation };
}

/** The job is at the provider: its id is stored at once, whatever else has happened to it meanwhile. */
async function adopted({ db }: Dependencies, job: JobRecord, created: ProviderJob): Promise<PollResult> {
  await fineTuningJobRepository(db).adopt(job.userId, job.id, created.id);
  // The next poll reads its state.
  return { changes: toJobState(created, job.status), again: 'now' };
}

/** The key may have changed to another account's a moment ago: files that are missing there are sent again. */
async function missingFiles(
  dependencies: Dependencies,
  job: JobRecord,
  apiKey: Secret,
): Promise<PollResult | undefined> {
  const { copies, words } = dependencies;
  if (apiKey instanceof ConnectionKey) {
    if (!(await copies.checkAt(apiKey, job.userId))) return undefined;
    return { changes: { notice: words.waitingForFile(job.trainingFilename, null) }, again: 'soon' };
  }
  await copies.check(job.userId);
  const files = await filesOf(dependencies, job, apiKey);
  return 'changes' in files ? files : undefined;
}

async function refused(
  dependencies: Dependencies,
  job: JobRecord,
  error: ProviderError,
  apiKey: Secret,
): Promise<PollResult> {
  const { keys, words } = dependencies;
  if (error.code === 'key_rejected') {
    await keys.noteRejected(job.userId, error.message, job.baseModel);
    return { changes: { sentAt: null, notice: words.keyRejected(error.message) }, again: 'woken' };
  }
  const notice = words.notSent(error.message);
  const wait = error.retryAfterSeconds;
  if (error.isUncertain) return { changes: { notice }, again: 'failed', wait };
  if (error.isTransient) return { changes: { sentAt: null, notice }, again: 'failed', wait };
  if (error.param === 'training_file' || error.param === 'validation_file') {
    const missing = await missingFiles(dependencies, job, apiKey);
    if (missing) return { ...missing, changes: { ...missing.changes, sentAt: null } };
  }
  const code = error.code === 'training_not_available' ? error.code : (error.providerCode ?? error.code);
  if (error.code === 'training_not_available') return failed(words.trainingNotAvailable(error.message), code);
  return failed(error.code === 'not_served' ? words.notServed : error.message, code);
}

/** Creates a job at the provider, only once whatever fails. */
export async function submitJob(
  dependencies: Dependencies,
  job: JobRecord,
  number: number,
  apiKey: Secret,
): Promise<PollResult> {
  const { db, provider, words } = dependencies;
  if (job.sentAt !== null) {
    const there = await provider.findByMetadata(apiKey, tokenName, job.token);
    if (there) return adopted(dependencies, job, there);
    if (Date.now() - Date.parse(job.sentAt) < settlingMs)
      return { changes: { notice: words.lookingForIt }, again: 'soon' };
  }
  if (job.cancelRequested) return cancelled();
  const files = await filesOf(dependencies, job, apiKey);
  if ('changes' in files) return files;
  if (!(await fineTuningJobRepository(db).markSent(job.userId, job.id, number))) return { changes: {}, again: 'now' };
  try {
    const created = await provider.create(apiKey, {
      model: job.baseModel,
      trainingFileId: files.training,
      validationFileId: files.validation,
      suffix: modelSuffix(job.name),
      metadata: { name: job.name, [tokenName]: job.token },
      method: job.method,
      hyperparameters: job.hyperparameters,
    });
    return adopted(dependencies, job, created);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return refused(dependencies, job, error, apiKey);
  }
}
