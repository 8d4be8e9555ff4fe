import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { JobRecord } from '#server/features/fine-tuning/shared/rows';
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
  };
};

type Dependencies = {
  db: Kysely<Database>;
  copies: TrainingFiles['copies'];
  provider: ProviderFineTuning;
  keys: { noteRejected: (userId: number, notice: string) => Promise<void> };
  words: JobMessages;
};

/** How long a job whose creation got no response may still appear in the provider's list. */
const settlingMs = 60_000;
/** The provider allows 64 characters; the whole name of the model must stay readable. */
const suffixLimit = 40;
const tokenName = 'roster_job';

/** Letters and digits of a name, joined by hyphens: the characters allowed in a model's name. */
export function modelSuffix(name: string): string | null {
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

/** Provider ids of the job's files, or the reason why it cannot be submitted yet. */
async function filesOf(
  { copies, words }: Dependencies,
  job: JobRecord,
): Promise<{ training: string; validation: string | null } | PollResult> {
  const files = [
    { id: job.trainingFileId, filename: job.trainingFilename },
    ...(job.validationFilename === null ? [] : [{ id: job.validationFileId, filename: job.validationFilename }]),
  ];
  const ids: string[] = [];
  for (const { id, filename } of files) {
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

async function refused(dependencies: Dependencies, job: JobRecord, error: ProviderError): Promise<PollResult> {
  const { keys, copies, words } = dependencies;
  if (error.code === 'key_rejected') {
    await keys.noteRejected(job.userId, error.message);
    return { changes: { sentAt: null, notice: words.keyRejected(error.message) }, again: 'woken' };
  }
  const notice = words.notSent(error.message);
  const wait = error.retryAfterSeconds;
  if (error.isUncertain) return { changes: { notice }, again: 'failed', wait };
  if (error.isTransient) return { changes: { sentAt: null, notice }, again: 'failed', wait };
  if (error.param === 'training_file' || error.param === 'validation_file') {
    // The key may have changed to another account's a moment ago.
    await copies.check(job.userId);
    const files = await filesOf(dependencies, job);
    if ('changes' in files) return { ...files, changes: { ...files.changes, sentAt: null } };
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
  const files = await filesOf(dependencies, job);
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
    return refused(dependencies, job, error);
  }
}
